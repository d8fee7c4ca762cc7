"""Conformance cases of Floor, expected values element by element in Python's own numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.elementwise import rounding_cases


def cases() -> Iterator[ConformanceCase]:
    """Shapes, float dtypes, whole numbers, halves, large numbers that have no fraction, infinities, NaN."""
    yield from rounding_cases("Floor", math.floor, 63, [1, -2, -1, 0, 1, -3, 2], [1048576, -1048577, 8388607])
