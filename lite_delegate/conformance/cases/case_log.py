"""Conformance cases of Log, expected values element by element in Python's own numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .families.elementwise import special_cases, unary_cases
from .loops.scalars import loop

NAN, INF = float("nan"), float("inf")


def cases() -> Iterator[ConformanceCase]:
    """Shapes, float dtypes, near 1, powers of e, zero, negative numbers, infinity, NaN."""

    yield from unary_cases("Log", math.log, 79, low=0.01, high=50.0)
    x = [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN]
    yield from special_cases("Log", [x], [-INF, -INF, 0.0, NAN, INF, NAN, NAN])
    wide = np.array([1e-38, 1e-6, 0.999, 1.001, math.e, 1e10, 3e38], dtype=np.float32)
    yield ConformanceCase("over_the_whole_range", "Log", (wide,), (loop(math.log, wide),), rtol=2e-6)
