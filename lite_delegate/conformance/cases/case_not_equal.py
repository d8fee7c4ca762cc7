"""Conformance cases of NotEqual, expected values element by element in Python's own numbers."""

from __future__ import annotations

import operator
from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.elementwise import FLOATS, comparison_cases
from .loops.scalars import INTEGERS


def cases() -> Iterator[ConformanceCase]:
    """Broadcasting, every dtype, ties, the limits of integers, NaN, infinities, signed zero."""

    yield from comparison_cases("NotEqual", operator.ne, 103, ("bool", *FLOATS[1:], *INTEGERS))
