"""Conformance cases of Ceil, expected values element by element in Python's own numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.elementwise import rounding_cases


def cases() -> Iterator[ConformanceCase]:
    """Shapes, float dtypes, whole numbers, halves, large numbers that have no fraction, infinities, NaN."""
    yield from rounding_cases("Ceil", math.ceil, 29, [2, -1, 0, 1, 1, -2, 2], [1048577, -1048576, 8388608])
