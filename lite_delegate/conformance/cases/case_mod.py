"""Conformance cases of Mod, expected values element by element in Python's own numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.arithmetic import remainder_cases


def _remainder(a: float, b: float) -> float:
    if isinstance(a, float):
        return math.fmod(a, b)
    magnitude = abs(a) % abs(b)
    return -magnitude if a < 0 else magnitude


def cases() -> Iterator[ConformanceCase]:
    """Broadcasting, every dtype, every pair of signs, the lowest integers, special values."""
    yield from remainder_cases("Mod", _remainder, 98, [1, -1, 1, -1, 0, 0], -5.5)
