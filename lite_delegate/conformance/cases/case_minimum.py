"""Conformance cases of Minimum, expected values element by element in Python's own numbers."""

from __future__ import annotations

from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.arithmetic import INF, NAN, extreme_cases


def _smaller(a: float, b: float) -> float:
    return a if a < b else b


def cases() -> Iterator[ConformanceCase]:
    """Broadcasting, every dtype, ties, NaN on either side, infinities."""
    yield from extreme_cases("Minimum", _smaller, 96, [NAN, NAN, NAN, 3.0, -INF, -INF, 2.0])
