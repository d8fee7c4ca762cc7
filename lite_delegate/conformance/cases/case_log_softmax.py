"""Conformance cases of LogSoftmax, expected values by a direct loop over every line of the axis."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase

NAN, INF = float("nan"), float("inf")


def loop(x: Array, axis: int) -> Array:
    """The expected values, element by element, in the dtype of ``x``."""
    out = np.empty(x.shape, dtype=np.float64)
    for index in np.ndindex(*(d for i, d in enumerate(x.shape) if i != axis)):
        line = index[:axis] + (slice(None),) + index[axis:]
        values = [float(v) for v in x[line]]
        top = max(values)
        total = math.log(math.fsum(math.exp(v - top) for v in values))
        out[line] = [v - top - total for v in values]
    return out.astype(x.dtype)


def cases() -> Iterator[ConformanceCase]:
    """Every axis sign and position, the default axis, ranks 1 to 5, float types, extreme values, one element."""
    rng = np.random.default_rng(189)
    for name, shape, axis in [
        ("rank_1", (7,), 0),
        ("rank_2_last", (3, 16), -1),
        ("rank_2_axis_0", (5, 3), 0),
        ("rank_2_axis_0_negative", (5, 3), -2),
        ("rank_3_middle", (2, 9, 3), 1),
        ("rank_4_channels", (2, 3, 3, 17), 3),
        ("rank_4_axis_0", (4, 2, 1, 3), 0),
        ("rank_5", (2, 2, 3, 2, 4), -2),
        ("one_element", (1, 1), 1),
    ]:
        x = rng.normal(size=shape).astype(np.float32) * 4
        yield ConformanceCase(name, "LogSoftmax", (x,), (loop(x, axis % len(shape)),), {"axis": axis})
    x = rng.normal(size=(4, 3)).astype(np.float32)
    yield ConformanceCase("default_is_axis_0", "LogSoftmax", (x,), (loop(x, 0),))
    x = np.array([[1e4, 0.0, -1e4], [88.0, 89.0, 90.0]], dtype=np.float32)
    yield ConformanceCase("large_values_do_not_overflow", "LogSoftmax", (x,), (loop(x, 1),), {"axis": 1})
    low = np.array([[-200.0, -201.0], [-1e30, -1e30]], dtype=np.float32)
    yield ConformanceCase("all_very_negative", "LogSoftmax", (low,), (loop(low, 1),), {"axis": 1})
    half = rng.normal(size=(3, 8)).astype(np.float16)
    yield ConformanceCase("float16", "LogSoftmax", (half,), (loop(half, 1),), {"axis": -1}, rtol=1e-3, atol=1e-3)
    double = rng.normal(size=(3, 8))
    yield ConformanceCase("float64", "LogSoftmax", (double,), (loop(double, 0),), {"axis": 0}, rtol=1e-12)
    x = np.array([[1.0, NAN, 2.0], [INF, 1.0, 2.0], [-INF, 0.0, 0.0], [-INF] * 3], dtype=np.float32)
    y = np.array([[NAN] * 3, [NAN] * 3, [-INF, -0.6931472, -0.6931472], [NAN] * 3], dtype=np.float32)
    yield ConformanceCase("special_values", "LogSoftmax", (x,), (y,), {"axis": 1}, source="hand")
    for name, shape in [("empty_batch", (0, 4)), ("empty_axis", (3, 0))]:
        empty = np.zeros(shape, dtype=np.float32)
        yield ConformanceCase(name, "LogSoftmax", (empty,), (empty,), {"axis": 1}, source="hand")
