"""Conformance cases of Erf, expected values element by element in Python's own numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .families.elementwise import special_cases, unary_cases
from .loops.scalars import loop

NAN, INF = float("nan"), float("inf")


def cases() -> Iterator[ConformanceCase]:
    """Shapes, float dtypes, near zero, the tails, infinities, NaN."""

    yield from unary_cases("Erf", math.erf, 178)
    yield from special_cases("Erf", [[0.0, -0.0, INF, -INF, NAN, 30.0, -30.0]], [0.0, -0.0, 1.0, -1.0, NAN, 1.0, -1.0])
    small = np.array([1e-30, -1e-8, 1e-3, 0.999, 1.001], dtype=np.float32)
    yield ConformanceCase("small", "Erf", (small,), (loop(math.erf, small),), rtol=1e-6, atol=0)
