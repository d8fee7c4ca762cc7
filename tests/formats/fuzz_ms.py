"""Damages ``.ms`` files at random and reads them: each must give a graph or a ``ModelFormatError``, soon.

By hand: ``python -m tests.formats.fuzz_ms --mutations 20000 FILE...``; without files it uses the samples below.
"""

from __future__ import annotations

import argparse
import random
import resource
import struct
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

from lite_delegate import GraphError, ModelFormatError
from lite_delegate.formats.ms import ms_bytes, read_ms_buffer
from lite_delegate.ir import DataType, Graph, ModelInfo, Node, QuantParam, Value, constant, difference, make_primitive
from tests.formats.handmade import M, N, S, T

Mutate = Callable[[random.Random, bytearray], None]

LIMIT = 2.0
"""Seconds that reading a damaged file of less than a MiB may take."""


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


def cut(rng: random.Random, data: bytearray) -> None:
    """Cuts the end off."""
    del data[rng.randrange(len(data)) :]


def flip(rng: random.Random, data: bytearray) -> None:
    """Flips up to eight bits."""
    for _ in range(rng.randint(1, 8)):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def scribble(rng: random.Random, data: bytearray) -> None:
    """Puts a number that is often wrong somewhere."""
    number = rng.choice([0, 1, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, len(data), len(data) - 4, rng.randrange(2**32)])
    place = rng.randrange(0, max(len(data) - 4, 1), 4)
    data[place : place + 4] = struct.pack("<I", number)


def redirect(rng: random.Random, data: bytearray) -> None:
    """Lets something that may be an offset point to another place, so that parts overlap."""
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(0, max(len(data) - 8, 1), 4)
        data[place : place + 4] = struct.pack("<I", rng.randrange(0, max(len(data) - place, 1), 4))


def blank(rng: random.Random, data: bytearray) -> None:
    """Sets a range to one value."""
    start = rng.randrange(len(data))
    end = min(start + rng.randint(1, 64), len(data))
    data[start:end] = bytes([rng.choice([0, 255])]) * (end - start)


def splice(rng: random.Random, data: bytearray) -> None:
    """Copies a range over another, or puts it between."""
    start, target = rng.randrange(len(data)), rng.randrange(len(data))
    piece = data[start : start + rng.randint(1, 128)]
    data[target : target + rng.choice([0, len(piece)])] = piece


def shift(rng: random.Random, data: bytearray) -> None:
    """Changes a two byte number a little: field offsets in vtables."""
    place = rng.randrange(0, max(len(data) - 2, 1), 2)
    number = struct.unpack_from("<H", data, place)[0] if place + 2 <= len(data) else 0
    data[place : place + 2] = struct.pack("<H", (number + rng.choice([-4, -2, -1, 1, 2, 4])) % 2**16)


MUTATIONS: tuple[Mutate, ...] = (cut, flip, scribble, redirect, blank, splice, shift)


def damage(rng: random.Random, content: bytes) -> bytes:
    """The content after one to three mutations."""
    data = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if data:
            rng.choice(MUTATIONS)(rng, data)
    return bytes(data)


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
    try:
        again = read_ms_buffer(ms_bytes(graph))
    except GraphError:
        return "graph that cannot be written"
    found = difference(graph, again)
    if found is not None:
        raise AssertionError(f"after a round trip: {found}")
    return "graph"


def fuzz(contents: list[bytes], mutations: int, seed: int) -> tuple[Counter[str], float]:
    """Damages each of the contents in turn; the outcomes by number, and the seconds that the slowest read took."""
    rng = random.Random(seed)
    outcomes: Counter[str] = Counter()
    slowest = 0.0
    for i in range(mutations):
        damaged = damage(rng, contents[i % len(contents)])
        start = time.perf_counter()
        try:
            outcomes[outcome(damaged)] += 1
        except Exception as e:
            kept = Path(f"fuzz_{seed}_{i}.ms")
            kept.write_bytes(damaged)
            e.add_note(f"mutation {i} of seed {seed}, kept as {kept}")
            raise
        slowest = max(slowest, time.perf_counter() - start)
    return outcomes, slowest


def main(arguments: list[str]) -> int:
    """The command; 1 when a read took longer than ``LIMIT``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutations", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("files", nargs="*", type=Path)
    options = parser.parse_args(arguments)
    contents = [f.read_bytes() for f in options.files] or samples()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcomes, slowest = fuzz(contents, options.mutations, options.seed)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{options.mutations} mutations: {dict(outcomes)}")
    print(f"slowest {slowest * 1e3:.1f} ms; peak RSS {peak / 1024:.0f} MiB, {before / 1024:.0f} MiB before")
    return int(slowest > LIMIT)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
