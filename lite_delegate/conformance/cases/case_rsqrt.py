"""Conformance cases of Rsqrt, expected values element by element in Python's own numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.elementwise import special_cases, unary_cases

NAN, INF = float("nan"), float("inf")


def _rsqrt(v: float) -> float:
    return 1 / math.sqrt(v)


def cases() -> Iterator[ConformanceCase]:
    """Shapes, float dtypes, perfect squares, zero of either sign, negative numbers, infinity, NaN."""

    yield from unary_cases("Rsqrt", _rsqrt, 126, low=0.01, high=9.0)
    x = [0.0, -0.0, 1.0, 4.0, 0.0625, -1.0, INF, -INF, NAN]
    yield from special_cases("Rsqrt", [x], [INF, -INF, 1.0, 0.5, 4.0, NAN, 0.0, NAN, NAN])
