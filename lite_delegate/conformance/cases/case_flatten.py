"""Conformance cases of Flatten, expected values by a direct loop over every element."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase


def _loop(x: Array, axis: int) -> Array:
    rows, columns = math.prod(x.shape[:axis]), math.prod(x.shape[axis:])
    out = np.empty((rows, columns), dtype=x.dtype)
    for count, index in enumerate(np.ndindex(*x.shape)):
        out[count // columns, count % columns] = x[index]
    return out


def cases() -> Iterator[ConformanceCase]:
    """Every axis from 0 to the rank, the default axis, empty and one-element arrays, every dtype."""
    rng = np.random.default_rng(61)
    for name, shape, axis in [
        ("rank_4_axis_0", (2, 3, 1, 4), 0),
        ("rank_4_axis_1", (2, 3, 1, 4), 1),
        ("rank_4_axis_2", (2, 3, 1, 4), 2),
        ("rank_4_axis_3", (2, 3, 1, 4), 3),
        ("rank_4_axis_4", (2, 3, 1, 4), 4),
        ("rank_1_axis_0", (7,), 0),
        ("rank_1_axis_1", (7,), 1),
        ("scalar_axis_0", (), 0),
        ("one_element", (1, 1, 1), 2),
        ("batch_of_17_channels", (3, 2, 2, 17), 1),
        ("empty_batch", (0, 3, 2), 1),
        ("empty_inside", (2, 0, 3), 1),
    ]:
        x = rng.normal(size=shape).astype(np.float32)
        yield ConformanceCase(name, "Flatten", (x,), (_loop(x, axis),), {"axis": axis})
    x = rng.normal(size=(2, 3, 4)).astype(np.float32)
    yield ConformanceCase("default_axis", "Flatten", (x,), (_loop(x, 1),))
    for dtype in ("bool", "int8", "int32", "int64", "uint8", "float16", "float64"):
        x = rng.integers(0, 2 if dtype == "bool" else 100, size=(2, 3, 2)).astype(dtype)
        yield ConformanceCase(f"dtype_{dtype}", "Flatten", (x,), (_loop(x, 1),), {"axis": 1})
