"""``.ms`` files to damage, and what must become of them: a graph or a ``ModelFormatError``."""

from __future__ import annotations

import random
import struct
from collections import Counter

import numpy as np

from lite_delegate import GraphError, ModelFormatError
from lite_delegate.formats.ms import ms_bytes, read_ms_buffer
from lite_delegate.ir import DataType, Graph, ModelInfo, Node, QuantParam, Value, constant, difference, make_primitive
from tests.formats.handmade import M, N, S, T
from tests.fuzz.mutations import damage


def samples() -> list[bytes]:
    """Small files with every kind of table in them: one by our writer, two by flatc's builder functions."""
    params = ({"scale": 0.5, "numBits": 4}, {"inited": True})
    odd = M(version="MindSpore Lite 1.2.0").tensor(1, dataType=32, data=b"abcdef", quantParams=params)
    lists = M(
        allTensors=(T("x"), T("list", dataType=17, data=struct.pack("<6i", 43, 1, 3, 1, 1, 4)), T("y")),
        nodes=(N("TensorListFromTensor", (0,), (1,)), N("TensorListStack", (1,), (2,))),
        subGraph=(S((0,), (2,), (0, 1)),),
    )
    return [ms_bytes(_sample_graph()), odd.bytes(), lists.bytes()]


def _sample_graph() -> Graph:
    """Convolution, padding, a custom operator, and a call of a second graph."""
    values = [Value(f"value_{i}", DataType.FLOAT32, (1, 8, 8, 4)) for i in range(6)]
    values[2].quant_params = (QuantParam(scale=0.5), QuantParam())
    weight = constant("weight", np.arange(144, dtype=np.float32).reshape(4, 3, 3, 4))
    steps = [
        (make_primitive("Conv2DFusion", kernel_size=(3, 3), stride=(1, 1), pad_mode="SAME", group=1), [weight]),
        (
            make_primitive("PadFusion", paddings=((0, 0), (1, 1), (1, 1), (0, 0))),
            [constant("p", np.zeros((4, 2), "i8"))],
        ),
        (make_primitive("Custom", type="mine", attr=[("key", b"value"), ("other", b"")]), []),
        (make_primitive("PartialFusion", sub_graph_index=1), []),
        (make_primitive("PriorBox", min_sizes=(1, 2), variances=(0.5, 0.25)), [constant("s", np.array(3, np.int64))]),
    ]
    nodes = [Node(f"node_{i}", p, [values[i], *c], [values[i + 1]]) for i, (p, c) in enumerate(steps)]
    inner = [Value("inner_x", DataType.FLOAT32, None), Value("inner_y", DataType.FLOAT32, (-1, 3))]
    body = Graph("body", inner[:1], inner[1:], [Node("abs", make_primitive("Abs"), [inner[0]], inner[1:])])
    return Graph("main", values[:1], values[-1:], nodes, [body], ModelInfo("sample", "MindSpore Lite 2.3.1"))


def outcome(content: bytes) -> str:
    """Reads damaged content: ``"graph"`` or ``"rejected"``; a graph must survive a round trip, if it can be written.

    Raises:
        AssertionError: it did not come back as it was.
        Exception: whatever the reader raised that is no ``ModelFormatError``.
    """
    try:
        graph = read_ms_buffer(content)
    except ModelFormatError:
        return "rejected"
    return "graph" if check_round_trip(graph) else "graph that cannot be written"


def check_round_trip(graph: Graph) -> bool:
    """False where the graph cannot be written.

    Raises:
        AssertionError: it did not come back as it was.
    """
    try:
        again = read_ms_buffer(ms_bytes(graph))
    except GraphError:
        return False
    found = difference(graph, again)
    if found is not None:
        raise AssertionError(f"after a round trip: {found}")
    return True


def fuzz(contents: list[bytes], mutations: int, seed: int) -> Counter[str]:
    """Damages each of the contents in turn, and reads them; the outcomes by number."""
    rng = random.Random(seed)
    outcomes: Counter[str] = Counter()
    for i in range(mutations):
        try:
            outcomes[outcome(damage(rng, contents[i % len(contents)]))] += 1
        except Exception as e:
            e.add_note(f"mutation {i} of seed {seed}")
            raise
    return outcomes
