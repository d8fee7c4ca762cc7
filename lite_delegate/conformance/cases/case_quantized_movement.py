"""Conformance cases of operators that move integers: with the same parameters on both sides, and with others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.quantized import Params, clamped, half_away, integers, quantization, quantized_case

A: Params = (0.05, -7)
B: Params = (0.03, 20)


def _anew(q: Array, source: Params, target: Params) -> Array:
    out = np.empty_like(q)
    for index in np.ndindex(q.shape):
        value = int(q[index])
        if source != target:
            value = half_away((value - source[1]) * (source[0] / target[0])) + target[1]
        out[index] = clamped(value, target)
    return out


def _ints(*numbers: int) -> Array:
    return np.array(numbers, np.int32)


def _one_input(x: Array) -> list[tuple[str, tuple[Array, ...], Array, dict[str, Any]]]:
    """Operator, further inputs, the integers where they go, attributes; ``x`` is (2, 4, 6, 4)."""
    blocks = x.reshape(2, 4, 6, 2, 2, 1).transpose(0, 1, 3, 2, 4, 5).reshape(2, 8, 12, 1)
    return [
        ("BroadcastTo", (), np.stack([x] * 3), {"shape": (3, 2, 4, 6, 4)}),
        ("DepthToSpace", (), blocks, {"block_size": 2}),
        ("ExpandDims", (np.array(1, np.int32),), x[:, None], {}),
        ("Flatten", (), x.reshape(2, 96), {"axis": 1}),
        ("Gather", (_ints(2, 0, 2), np.array(2, np.int32)), x[:, :, [2, 0, 2]], {}),
        ("GatherNd", (np.array([[1, 0], [0, 3]], np.int32),), x[[1, 0], [0, 3]], {}),
        ("Reshape", (_ints(8, -1),), x.reshape(8, 24), {}),
        ("ReverseV2", (), x[:, :, ::-1], {"axis": (2,)}),
        ("SliceFusion", (_ints(0, 1, 2, 0), _ints(2, 3, 4, 1)), x[:, 1:4, 2:6, :1], {"axes": (0, 1, 2, 3)}),
        ("Squeeze", (), x, {}),
        ("StridedSlice", (_ints(0, 0, 1, 0), _ints(2, 4, 6, 4), _ints(1, 2, 1, 1)), x[:, ::2, 1:], {}),
        ("TileFusion", (_ints(1, 2, 1, 3),), np.tile(x, (1, 2, 1, 3)), {"dims": (0, 1, 2, 3)}),
        ("Transpose", (_ints(0, 3, 1, 2),), x.transpose(0, 3, 1, 2), {}),
        ("Unsqueeze", (), x[:, :, None], {"axis": (2,)}),
    ]


def _several_inputs(rng: np.random.Generator) -> Iterator[ConformanceCase]:
    first, second = integers(rng, (2, 3)), integers(rng, (2, 3))
    for name, target in [("same_parameters", A), ("other_parameters", B)]:
        moved = [_anew(first, A, target), _anew(second, B, target)]
        params = [quantization(A), quantization(B)], [quantization(target)]
        joined = np.concatenate(moved, axis=1)
        yield quantized_case(name, "Concat", (first, second), (joined,), *params, {"axis": 1})
        stacked = np.stack(moved, axis=1)
        yield quantized_case(name, "Stack", (first, second), (stacked,), *params, {"axis": 1})


def _several_outputs(rng: np.random.Generator) -> Iterator[ConformanceCase]:
    x = integers(rng, (2, 6))
    for name, targets in [("same_parameters", (A, A)), ("other_parameters", (B, A))]:
        halves = [_anew(part, A, target) for part, target in zip((x[:, :3], x[:, 3:]), targets, strict=True)]
        params = [quantization(A)], [quantization(t) for t in targets]
        yield quantized_case(name, "Split", (x,), halves, *params, {"output_num": 2, "axis": 1})
        rows = [_anew(row, A, target) for row, target in zip(x, targets, strict=True)]
        yield quantized_case(name, "Unstack", (x,), rows, *params, {"axis": 0})


def _case(
    name: str, op_type: str, x: Array, more: Sequence[Array], moved: Array, target: Params, attributes: dict[str, Any]
) -> ConformanceCase:
    y = _anew(np.ascontiguousarray(moved), A, target)
    constants = frozenset(range(1, 1 + len(more)))
    params = [quantization(A), *[None] * len(more)], [quantization(target)]
    return quantized_case(name, op_type, (x, *more), (y,), *params, attributes, constants)


def cases() -> Iterator[ConformanceCase]:
    """Integers are what they were where parameters agree; where they differ, each is scaled and rounded once."""
    rng = np.random.default_rng(77)
    x = integers(rng, (2, 4, 6, 4))
    for op_type, more, moved, attributes in _one_input(x):
        yield _case("same_parameters", op_type, x, more, moved, A, attributes)
        yield _case("other_parameters", op_type, x, more, moved, B, attributes)
    yield from _several_inputs(rng)
    yield from _several_outputs(rng)
