"""Conformance cases of Log1p, expected values element by element in Python's own numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .families.elementwise import special_cases, unary_cases
from .loops.scalars import loop

NAN, INF = float("nan"), float("inf")


def cases() -> Iterator[ConformanceCase]:
    """Shapes, float dtypes, numbers so near 0 that 1 + x is 1, -1, below -1, infinity, NaN."""

    yield from unary_cases("Log1p", math.log1p, 212, low=-0.9, high=20.0)
    x = [0.0, -0.0, -1.0, -1.5, INF, -INF, NAN]
    yield from special_cases("Log1p", [x], [0.0, -0.0, -INF, NAN, INF, NAN, NAN])
    near = np.array([1e-10, -1e-10, 1e-20, 1e-5], dtype=np.float32)
    yield ConformanceCase("near_0", "Log1p", (near,), (loop(math.log1p, near),), rtol=2e-6, atol=0)
