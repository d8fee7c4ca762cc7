"""Conformance cases of Stack, expected values by a direct loop over every element of every input."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase


def _loop(xs: tuple[Array, ...], place: int) -> Array:
    shape = xs[0].shape
    out = np.empty((*shape[:place], len(xs), *shape[place:]), dtype=xs[0].dtype)
    for number, x in enumerate(xs):
        for index in np.ndindex(*shape):
            out[(*index[:place], number, *index[place:])] = x[index]
    return out


def cases() -> Iterator[ConformanceCase]:
    """Every place of the new dimension from either end, one to five inputs, scalars, empty arrays, every dtype."""
    rng = np.random.default_rng(150)
    for name, shape, count, axis in [
        ("scalars", (), 3, 0),
        ("scalars_negative", (), 2, -1),
        ("rank_1_axis_0", (4,), 2, 0),
        ("rank_1_axis_1", (4,), 2, 1),
        ("rank_2_axis_0", (2, 3), 3, 0),
        ("rank_2_middle", (2, 3), 3, 1),
        ("rank_2_last", (2, 3), 3, 2),
        ("rank_2_negative_first", (2, 3), 3, -3),
        ("rank_4_last", (1, 2, 3, 7), 2, -1),
        ("one_input", (2, 3), 1, 0),
        ("one_scalar", (), 1, 0),
        ("five_inputs", (2, 2), 5, 1),
        ("empty", (0, 3), 2, 1),
    ]:
        xs = tuple(rng.normal(size=shape).astype(np.float32) for _ in range(count))
        expected = _loop(xs, axis % (len(shape) + 1))
        yield ConformanceCase(name, "Stack", xs, (expected,), {"axis": axis})
    xs = tuple(rng.normal(size=(2, 2)).astype(np.float32) for _ in range(2))
    yield ConformanceCase("default_axis", "Stack", xs, (_loop(xs, 0),))
    for dtype in ("bool", "int8", "int32", "int64", "uint8", "float16", "float64"):
        xs = tuple(rng.integers(0, 2 if dtype == "bool" else 100, size=(3,)).astype(dtype) for _ in range(2))
        yield ConformanceCase(f"dtype_{dtype}", "Stack", xs, (_loop(xs, 1),), {"axis": 1})
