"""Conformance cases of Sqrt, expected values element by element in Python's own numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .families.elementwise import special_cases, unary_cases
from .loops.scalars import exact_case

NAN, INF = float("nan"), float("inf")


def cases() -> Iterator[ConformanceCase]:
    """Shapes, float dtypes, perfect squares, zero, negative numbers, infinity, NaN, tiny numbers."""

    yield from unary_cases("Sqrt", math.sqrt, 146, low=0.0, high=9.0)
    x = [0.0, -0.0, 1.0, 4.0, 144.0, -1.0, INF, -INF, NAN]
    yield from special_cases("Sqrt", [x], [0.0, -0.0, 1.0, 2.0, 12.0, NAN, INF, NAN, NAN])
    tiny = np.array([1e-45, 1e-38, 1e-30, 3e38], dtype=np.float32)
    yield exact_case("tiny_and_large", "Sqrt", (tiny,), math.sqrt)
