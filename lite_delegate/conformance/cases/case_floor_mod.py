"""Conformance cases of FloorMod, expected values element by element in Python's own numbers."""

from __future__ import annotations

import operator
from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.arithmetic import INF, remainder_cases


def cases() -> Iterator[ConformanceCase]:
    """Broadcasting, every dtype, every pair of signs, the lowest integers, special values."""
    yield from remainder_cases("FloorMod", operator.mod, 65, [1, 2, -2, -1, 0, 0], INF)
