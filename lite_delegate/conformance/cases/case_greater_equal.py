"""Conformance cases of GreaterEqual, expected values element by element in Python's own numbers."""

from __future__ import annotations

import operator
from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.elementwise import comparison_cases


def cases() -> Iterator[ConformanceCase]:
    """Broadcasting, every number dtype, ties, the limits of integers, NaN, infinities, signed zero."""

    yield from comparison_cases("GreaterEqual", operator.ge, 72)
