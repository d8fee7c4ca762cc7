"""Conformance cases of NotEqual, expected values element by element in Python's own numbers."""

from __future__ import annotations

import operator
from collections.abc import Iterator

from ..case import ConformanceCase
from ..elementwise_cases import FLOATS, comparison_cases
from ..scalar_loops import INTEGERS


def cases() -> Iterator[ConformanceCase]:
    """Broadcasting, every dtype, ties, the limits of integers, NaN, infinities, signed zero."""

    yield from comparison_cases("NotEqual", operator.ne, 103, ("bool", *FLOATS[1:], *INTEGERS))
