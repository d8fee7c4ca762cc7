"""Conformance cases of Square, expected values element by element in Python's own numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .families.elementwise import special_cases, unary_cases
from .loops.scalars import INTEGERS, exact_case

NAN, INF = float("nan"), float("inf")


def _square(v: float) -> float:
    return v * v


def cases() -> Iterator[ConformanceCase]:
    """Shapes, every dtype, integers that wrap around, overflow, infinities, NaN."""

    yield from unary_cases("Square", _square, 148, integers=INTEGERS)
    x = [NAN, INF, -INF, -0.0, -1.5, 12.0]
    yield from special_cases("Square", [x], [NAN, INF, INF, 0.0, 2.25, 144.0])
    large = np.array([1e20, -2e19, 1e-30], dtype=np.float32)
    yield exact_case("overflow_and_underflow", "Square", (large,), _square)
