"""Conformance cases of Unsqueeze, expected values by a direct loop over every element."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase


def _loop(x: Array, shape: tuple[int, ...], inserted: tuple[int, ...]) -> Array:
    out = np.empty(shape, dtype=x.dtype)
    for index in np.ndindex(*shape):
        out[index] = x[tuple(p for i, p in enumerate(index) if i not in inserted)]
    return out


def cases() -> Iterator[ConformanceCase]:
    """One and several places, negative and unordered ones, scalars, empty arrays, every dtype."""
    rng = np.random.default_rng(165)
    for name, given, axis, shape, inserted in [
        ("axis_0", (3, 4), (0,), (1, 3, 4), (0,)),
        ("last_axis", (3, 4), (2,), (3, 4, 1), (2,)),
        ("middle_axis", (3, 4), (1,), (3, 1, 4), (1,)),
        ("negative_counts_from_the_output", (3, 4), (-1,), (3, 4, 1), (2,)),
        ("negative_first", (3, 4), (-3,), (1, 3, 4), (0,)),
        ("two_axes", (3, 4), (0, 3), (1, 3, 4, 1), (0, 3)),
        ("unordered_axes", (3, 4), (3, 0), (1, 3, 4, 1), (0, 3)),
        ("mixed_signs", (5,), (-1, 0), (1, 5, 1), (0, 2)),
        ("neighbors", (2, 3), (1, 2), (2, 1, 1, 3), (1, 2)),
        ("scalar_axis_0", (), (0,), (1,), (0,)),
        ("scalar_two_axes", (), (0, 1), (1, 1), (0, 1)),
        ("scalar_empty_axis", (), (), (1,), (0,)),
        ("scalar_absent_axis", (), None, (1,), (0,)),
        ("empty_axis_changes_nothing", (2, 1), (), (2, 1), ()),
        ("empty_array", (0, 2), (1,), (0, 1, 2), (1,)),
    ]:
        x = rng.normal(size=given).astype(np.float32)
        expected = _loop(x, shape, inserted)
        yield ConformanceCase(name, "Unsqueeze", (x,), (expected,), {"axis": axis})
    for dtype in ("bool", "int8", "int32", "int64", "uint8", "float16", "float64"):
        x = rng.integers(0, 2 if dtype == "bool" else 100, size=(2, 3)).astype(dtype)
        expected = _loop(x, (2, 1, 3), (1,))
        yield ConformanceCase(f"dtype_{dtype}", "Unsqueeze", (x,), (expected,), {"axis": (1,)})
