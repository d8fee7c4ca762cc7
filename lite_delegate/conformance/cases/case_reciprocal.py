"""Conformance cases of Reciprocal, expected values element by element in Python's own numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .families.elementwise import special_cases, unary_cases

NAN, INF = float("nan"), float("inf")


def _reciprocal(v: float) -> float:
    return 1 / v


def cases() -> Iterator[ConformanceCase]:
    """Shapes, float dtypes, either sign, zero of either sign, infinities, NaN, overflow."""

    yield from unary_cases("Reciprocal", _reciprocal, 116, low=0.1, high=8.0)
    yield from unary_cases("Reciprocal", _reciprocal, 117, low=-8.0, high=-0.1, prefix="negative_")
    x = [0.0, -0.0, 1.0, -4.0, 0.125, INF, -INF, NAN]
    yield from special_cases("Reciprocal", [x], [INF, -INF, 1.0, -0.25, 8.0, 0.0, -0.0, NAN])
    tiny = np.array([1e-45, 1e-39, 1e38], dtype=np.float32)
    y = np.array([INF, INF, 1e-38], dtype=np.float32)
    yield ConformanceCase("tiny_and_large", "Reciprocal", (tiny,), (y,), rtol=1e-6, atol=0, source="hand")
