"""Conformance cases of Concat, expected values by a direct loop over every element of every input."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase


def _loop(xs: tuple[Array, ...], axis: int) -> Array:
    shape = list(xs[0].shape)
    shape[axis] = sum(x.shape[axis] for x in xs)
    out = np.empty(shape, dtype=xs[0].dtype)
    start = 0
    for x in xs:
        for index in np.ndindex(*x.shape):
            out[(*index[:axis], start + index[axis], *index[axis + 1 :])] = x[index]
        start += x.shape[axis]
    return out


def cases() -> Iterator[ConformanceCase]:
    """Every axis from either end, one to five inputs, unequal and empty ones, constants, every dtype."""
    rng = np.random.default_rng(31)
    joins: list[tuple[str, list[tuple[int, ...]], int]] = [
        ("rank_1", [(3,), (2,)], 0),
        ("rank_2_axis_0", [(2, 3), (1, 3)], 0),
        ("rank_2_last", [(2, 3), (2, 5)], -1),
        ("rank_3_middle", [(2, 1, 3), (2, 4, 3)], 1),
        ("rank_4_channels", [(1, 3, 3, 7), (1, 3, 3, 8), (1, 3, 3, 1)], 3),
        ("rank_4_negative_channels", [(2, 2, 2, 16), (2, 2, 2, 17)], -1),
        ("rank_4_batch", [(1, 2, 2, 3), (2, 2, 2, 3)], -4),
        ("rank_5", [(1, 2, 1, 2, 3), (1, 2, 1, 1, 3)], -2),
        ("one_input", [(2, 3)], 1),
        ("five_inputs", [(2, n, 2) for n in range(1, 6)], 1),
        ("an_empty_input", [(2, 3), (2, 0), (2, 1)], 1),
        ("all_empty", [(0, 3), (0, 3)], 0),
    ]
    for name, shapes, axis in joins:
        xs = tuple(rng.normal(size=s).astype(np.float32) for s in shapes)
        expected = _loop(xs, axis % len(shapes[0]))
        yield ConformanceCase(name, "Concat", xs, (expected,), {"axis": axis})
    x, y = (rng.normal(size=(2, 2)).astype(np.float32) for _ in range(2))
    yield ConformanceCase("default_axis", "Concat", (x, y), (_loop((x, y), 0),))
    yield ConformanceCase("same_array_twice", "Concat", (x, x), (_loop((x, x), 1),), {"axis": 1})
    yield ConformanceCase("a_constant", "Concat", (x, y), (_loop((x, y), 1),), {"axis": 1}, constants=frozenset({1}))
    for dtype in ("bool", "int8", "int32", "int64", "uint8", "float16", "float64"):
        xs = tuple(rng.integers(0, 2 if dtype == "bool" else 100, size=(2, n)).astype(dtype) for n in (3, 2))
        yield ConformanceCase(f"dtype_{dtype}", "Concat", xs, (_loop(xs, 1),), {"axis": 1})
