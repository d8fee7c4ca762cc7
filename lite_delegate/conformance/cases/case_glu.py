"""Conformance cases of GLU, expected values by a direct loop over every output element."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .families.elementwise import TOLERANCES

NAN, INF = float("nan"), float("inf")


def _loop(x: Array, axis: int) -> Array:
    half = x.shape[axis] // 2
    out = np.empty((*x.shape[:axis], half, *x.shape[axis + 1 :]), dtype=x.dtype)
    for index in np.ndindex(*out.shape):
        gate = (*index[:axis], index[axis] + half, *index[axis + 1 :])
        out[index] = float(x[index]) / (1 + math.exp(-float(x[gate])))
    return out


def _case(name: str, x: Array, axis: int) -> ConformanceCase:
    rtol, atol = TOLERANCES[x.dtype.name]
    return ConformanceCase(name, "GLU", (x,), (_loop(x, axis % x.ndim),), {"axis": axis}, rtol=rtol, atol=atol)


def cases() -> Iterator[ConformanceCase]:
    """Every axis from either end, ranks 1 to 5, the default axis, dtypes, gates wide open and shut, no elements."""
    rng = np.random.default_rng(196)
    for name, shape, axis in [
        ("rank_1", (8,), 0),
        ("two_elements", (2,), -1),
        ("rank_2_axis_0", (6, 3), 0),
        ("rank_2_last", (3, 6), 1),
        ("rank_3_middle", (2, 14, 3), 1),
        ("rank_3_middle_negative", (2, 14, 3), -2),
        ("rank_4_channels_2", (2, 3, 2, 2), -1),
        ("rank_4_channels_16", (2, 3, 2, 16), 3),
        ("rank_4_channels_34", (1, 2, 2, 34), -1),
        ("rank_4_axis_0", (4, 1, 2, 3), 0),
        ("rank_4_first_negative", (4, 1, 2, 3), -4),
        ("rank_5", (1, 2, 2, 4, 3), -2),
        ("empty_axis", (3, 0), 1),
        ("empty_batch", (0, 4), 1),
    ]:
        yield _case(name, (rng.normal(size=shape) * 3).astype(np.float32), axis)
    for dtype in ("float16", "float64"):
        yield _case(dtype, (rng.normal(size=(3, 10)) * 3).astype(dtype), 1)
    x = rng.normal(size=(2, 3, 4)).astype(np.float32)
    yield ConformanceCase("default_is_the_last_axis", "GLU", (x,), (_loop(x, 2),), rtol=2e-6)
    yield ConformanceCase("constant", "GLU", (x,), (_loop(x, 2),), {}, frozenset({0}), rtol=2e-6)
    gates = np.array([3.0, 3.0, NAN, 3.0, -INF, 3.0, 1e4, -1e4, 0.0, NAN, 0.0, INF], dtype=np.float32)
    y = np.array([3.0, 0.0, NAN, NAN, -INF, 3.0], dtype=np.float32)
    yield ConformanceCase("special_values", "GLU", (gates,), (y,), {"axis": 0}, rtol=0, atol=0, source="hand")
