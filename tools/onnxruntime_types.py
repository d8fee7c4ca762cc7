"""The table of element types that ONNX Runtime's CPU provider has kernels for: `python -m tools.onnxruntime_types`.

Found by experiment: for each operator and each element type one model of one node is made, and run once. Writes
``lite_delegate/backends/onnxruntime/emitting/cpu_types.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from lite_delegate.backends.onnxruntime.emitting.signatures import FIXED, SIGNATURES, key_of
from lite_delegate.basics.data_class import dataclass

TARGET = Path(__file__).parents[1] / "lite_delegate/backends/onnxruntime/emitting/cpu_types.py"
FLOATS = ["float16", "float32", "float64"]
NAMES = [*FLOATS, "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"]
INDEXES = ("int32", "int64")
PAIRED = dict.fromkeys(("Pow", "Cast", "OneHot", "QuantizeLinear", "DequantizeLinear"), NAMES)
PAIRED |= {"MatMulInteger": NAMES, "ConvInteger": NAMES}
"""What the second type may be; for other operators it is that of indices."""
HEAD = '''"""Element types that ONNX Runtime's CPU provider has kernels for, by operator.

Found by experiment with onnxruntime {version} by `python -m tools.onnxruntime_types`: a model of one node for each
operator and type, made and run. Two types with a comma between them are the first and the second of the operator's
signature. float16 is mostly computed in float32 by ONNX Runtime.
"""

VERSION = "{version}"
GROUPS = (
'''
TAIL = ''')
"""Types, and the operators that have kernels for them."""
KERNELS: dict[str, str] = {op: types for types, ops in GROUPS for op in ops.split()}
"""By operator: the types."""
'''


@dataclass(frozen=True)
class Probe:
    """The node that is tried.

    Attributes:
        shapes: of the operands.
        contents: of operands that are constants, by position.
        attributes: of the node.
        results: how many.
    """

    shapes: Sequence[Sequence[int]] = ((2, 3),)
    contents: Mapping[int, Any] = field(default_factory=dict)
    attributes: Mapping[str, Any] = field(default_factory=dict)
    results: int = 1


IMAGE, VECTOR = (1, 4, 4, 4), (4,)
CELL = {"hidden_size": 2}
PROBES = {
    "Conv": Probe((IMAGE, (2, 4, 3, 3), (2,))),
    "ConvTranspose": Probe((IMAGE, (4, 2, 3, 3), (2,))),
    "DeformConv": Probe((IMAGE, (2, 4, 3, 3), (1, 18, 2, 2), (2,), (1, 9, 2, 2))),
    "MaxPool": Probe((IMAGE,), attributes={"kernel_shape": [2, 2]}),
    "AveragePool": Probe((IMAGE,), attributes={"kernel_shape": [2, 2]}),
    "GlobalAveragePool": Probe((IMAGE,)),
    "LRN": Probe((IMAGE,), attributes={"size": 3}),
    "DepthToSpace": Probe((IMAGE,), attributes={"blocksize": 2}),
    "SpaceToDepth": Probe((IMAGE,), attributes={"blocksize": 2}),
    "MatMul": Probe(((2, 3), (3, 2))),
    "Gemm": Probe(((2, 3), (3, 2), (2,))),
    "LayerNormalization": Probe(((2, 3), (3,), (3,))),
    "Clip": Probe(((2, 3), (), ())),
    "InstanceNormalization": Probe((IMAGE, VECTOR, VECTOR)),
    "GroupNormalization": Probe((IMAGE, VECTOR, VECTOR), attributes={"num_groups": 2}),
    "BatchNormalization": Probe((IMAGE, *(VECTOR,) * 4)),
    "GridSample": Probe((IMAGE, (1, 2, 2, 2))),
    **{op: Probe(((2, 3), (1,)), {1: [1]}) for op, letters in SIGNATURES.items() if op.startswith("Reduce")},
    "Reshape": Probe(((2, 3), (2,)), {1: [3, 2]}),
    "Expand": Probe(((2, 3), (2,)), {1: [2, 3]}),
    "Tile": Probe(((2, 3), (2,)), {1: [2, 3]}),
    "ReverseSequence": Probe(((2, 3), (3,)), {1: [1, 2, 1]}),
    "GatherND": Probe(((2, 3), (2, 1)), {1: [[0], [1]]}),
    "Gather": Probe(((2, 3), (2,)), {1: [0, 1]}),
    "GatherElements": Probe(((2, 3), (2, 1)), {1: [[0], [1]]}),
    "ScatterElements": Probe(((2, 3), (2, 1), (2, 1)), {1: [[0], [1]]}),
    "ScatterND": Probe(((2, 3), (2, 1), (2, 3)), {1: [[0], [1]]}),
    "Split": Probe(((2, 3), (2,)), {1: [1, 1]}, results=2),
    "Slice": Probe(((2, 3), (1,), (1,), (1,), (1,)), {1: [0], 2: [1], 3: [0], 4: [1]}),
    "Pad": Probe(((2, 3), (4,), ()), {1: [0, 1, 0, 1]}),
    "Resize": Probe((IMAGE, (0,), (0,), (4,)), {1: [], 2: [], 3: [1, 4, 8, 8]}),
    "TopK": Probe(((2, 3), (1,)), {1: [1]}, results=2),
    "CumSum": Probe(((2, 3), ()), {1: 0}),
    "OneHot": Probe(((2, 3), (1,), (2,)), {1: [4]}),
    "Trilu": Probe(((2, 3), ()), {1: 0}),
    "QuantizeLinear": Probe(((2, 3), (), ())),
    "DequantizeLinear": Probe(((2, 3), (), ())),
    "DynamicQuantizeLinear": Probe(results=3),
    "MatMulInteger": Probe(((2, 3), (3, 2), (), ())),
    "ConvInteger": Probe((IMAGE, (4, 4, 3, 3), (), ())),
    "Col2Im": Probe(((1, 4, 4), (2,), (2,)), {1: [3, 3], 2: [2, 2]}),
    "Det": Probe(((2, 2),)),
    "NonMaxSuppression": Probe(((1, 2, 4), (1, 1, 2), (1,), (1,), (1,))),
    "RoiAlign": Probe((IMAGE, (1, 4), (1,)), {2: [0]}),
    "Einsum": Probe(((2, 3), (3, 2)), attributes={"equation": "ij,jk->ik"}),
    "LSTM": Probe(((3, 1, 4), (1, 8, 4), (1, 8, 2), (1, 16)), attributes=CELL),
    "GRU": Probe(((3, 1, 4), (1, 6, 4), (1, 6, 2), (1, 12)), attributes=CELL),
    "RNN": Probe(((3, 1, 4), (1, 2, 4), (1, 2, 2), (1, 4)), attributes=CELL),
    "Mod": Probe(((2, 3),) * 2, attributes={"fmod": 1}),
    "BitShift": Probe(((2, 3),) * 2, attributes={"direction": "RIGHT"}),
    "Concat": Probe(((2, 3),) * 2, attributes={"axis": 0}),
}


def probe_of(op: str) -> Probe:
    """The node for an operator; those on elements take operands of one shape."""
    taken = SIGNATURES[op].split(">")[0]
    return PROBES.get(op) or Probe(((2, 3),) * len(taken))


def works(op: str, first: str, second: str) -> bool:
    """True if ONNX Runtime makes and runs a node whose T and U are these types."""
    import onnxruntime as ort
    from onnx import helper, numpy_helper

    probe, letters = probe_of(op), {"T": np.dtype(first), "U": np.dtype(second), **FIXED}
    taken, given = SIGNATURES[op].split(">")
    arrays = []
    for place, shape in enumerate(probe.shapes):
        dtype = letters[taken[min(place, len(taken) - 1)]]
        arrays.append(np.array(probe.contents[place], dtype) if place in probe.contents else np.ones(shape, dtype))
    number = {name: helper.np_dtype_to_tensor_dtype(dtype) for name, dtype in letters.items()}
    attributes = {**probe.attributes, **({"to": number["U"]} if op == "Cast" else {})}
    names = [f"x{place}" for place in range(len(arrays))]
    results = [f"y{place}" for place in range(probe.results)]
    graph = helper.make_graph(
        [helper.make_node(op, names, results, **attributes)],
        op,
        [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            for place, (name, array) in enumerate(zip(names, arrays, strict=True))
            if place not in probe.contents
        ],
        [
            helper.make_tensor_value_info(name, number[given[min(place, len(given) - 1)]], None)
            for place, name in enumerate(results)
        ],
        [numpy_helper.from_array(arrays[place], names[place]) for place in probe.contents],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    feeds = {names[place]: array for place, array in enumerate(arrays) if place not in probe.contents}
    options = ort.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    try:
        ort.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"]).run(None, feeds)
    except Exception:  # ONNX Runtime's exceptions have no common type
        return False
    return True


def tried(op: str) -> Iterator[tuple[str, str, str]]:
    """The pairs of types for an operator, and the word that stands for each in the table."""
    taken = SIGNATURES[op].replace(">", "")
    firsts = NAMES if "T" in taken else NAMES[:1]
    seconds = PAIRED.get(op, INDEXES) if "U" in taken else NAMES[:1]
    for first, second in product(firsts, seconds):
        yield (
            first,
            second,
            key_of({letter: np.dtype(n) for n, letter in ((first, "T"), (second, "U")) if letter in taken}),
        )


def row(op: str) -> str:
    """The types of an operator, as the table has them."""
    return " ".join(word for first, second, word in tried(op) if works(op, first, second))


def table() -> str:
    """The file's text."""
    import onnxruntime as ort

    groups: dict[str, list[str]] = {}
    for op in sorted(SIGNATURES):
        groups.setdefault(row(op), []).append(op)
    lines = [
        f'    (\n        """\n{wrapped(types)}        """,\n        """\n{wrapped(" ".join(ops))}        """,\n    ),\n'
        for types, ops in groups.items()
    ]
    return HEAD.format(version=ort.__version__) + "".join(lines) + TAIL


def wrapped(words: str) -> str:
    """Lines of at most 120 characters."""
    import textwrap

    return "".join(f"{line}\n" for line in textwrap.wrap(words, 116, initial_indent=" " * 8, subsequent_indent=" " * 8))


if __name__ == "__main__":
    TARGET.write_text(table())
    sys.stdout.write(f"wrote {TARGET}\n")
