"""Conformance cases of LpNormalization, expected values line by line."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase


def _loop(x: Array, axis: int, p: int) -> Array:
    y = np.zeros(x.shape, dtype=x.dtype)
    for index in np.ndindex(*(d for i, d in enumerate(x.shape) if i != axis)):
        line = index[:axis] + (slice(None),) + index[axis:]
        values = [float(v) for v in x[line]]
        norm = math.fsum(map(abs, values)) if p == 1 else math.sqrt(math.fsum(v * v for v in values))
        if norm != 0:
            y[line] = [v / norm for v in values]
    return y


def _case(name: str, x: Array, axis: int, p: int) -> ConformanceCase:
    tolerance = {"float16": 1e-3, "float64": 1e-12}.get(x.dtype.name, 1e-5)
    attributes = {"axis": axis, "p": p}
    expected = (_loop(x, axis % x.ndim, p),)
    return ConformanceCase(name, "LpNormalization", (x,), expected, attributes, rtol=tolerance, atol=tolerance / 10)


def cases() -> Iterator[ConformanceCase]:
    """Both norms along every kind of axis, ranks 1 to 5, zero lines, dtypes, special values, empty arrays."""
    rng = np.random.default_rng(84)
    for p in (1, 2):
        for name, shape, axis in [
            ("last_axis", (2, 3, 17), 2),
            ("minus_1", (4, 8), -1),
            ("axis_0", (3, 5), 0),
            ("middle_axis", (2, 7, 3, 2), 1),
            ("rank_1", (16,), 0),
            ("rank_5", (2, 1, 2, 3, 2), -2),
            ("one_element_lines", (3, 1), 1),
        ]:
            yield _case(f"p_{p}_{name}", (rng.normal(size=shape) * 3).astype(np.float32), axis, p)
        x = (rng.normal(size=(3, 4)) * 2).astype(np.float32)
        x[1] = 0
        yield _case(f"p_{p}_a_line_of_zeros", x, 1, p)
        yield _case(f"p_{p}_float16", x.astype(np.float16), 1, p)
        yield _case(f"p_{p}_float16_sum_beyond_its_range", (x * 4000).astype(np.float16), 1, p)
        yield _case(f"p_{p}_float64", x.astype(np.float64), 0, p)
        yield _case(f"p_{p}_empty_batch", np.zeros((0, 3), dtype=np.float32), 1, p)
        yield _case(f"p_{p}_empty_axis", np.zeros((3, 0), dtype=np.float32), 1, p)
        special = np.array([[np.nan, 1, 2], [np.inf, 1, -2], [4, 0, 0]], dtype=np.float32)
        wanted = np.array([[np.nan] * 3, [np.nan, 0, 0], [1, 0, 0]], dtype=np.float32)
        attributes = {"axis": 1, "p": p}
        yield ConformanceCase(
            f"p_{p}_nan_and_infinity", "LpNormalization", (special,), (wanted,), attributes, source="hand"
        )
