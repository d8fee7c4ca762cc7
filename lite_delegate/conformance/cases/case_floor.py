"""Conformance cases of Floor, expected values element by element in Python's own numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .families.elementwise import special_cases, unary_cases

NAN, INF = float("nan"), float("inf")


def cases() -> Iterator[ConformanceCase]:
    """Shapes, float dtypes, whole numbers, halves, large numbers that have no fraction, infinities, NaN."""

    yield from unary_cases("Floor", math.floor, 63, exact=True)
    small = [1.5, -1.5, -0.5, 0.5, 1.0, -2.5, 2.0, INF, -INF, NAN]
    yield from special_cases("Floor", [small], [1, -2, -1, 0, 1, -3, 2, INF, -INF, NAN])
    large = [2.0**20 + 0.5, -(2.0**20) - 0.5, 8388607.5, 16777216.0, 3e38]
    x = np.array(large, dtype=np.float32)
    y = np.array([1048576, -1048577, 8388607, 16777216, 3e38], dtype=np.float32)
    yield ConformanceCase("large", "Floor", (x,), (y,), rtol=0, atol=0, source="hand")
