"""Conformance cases of tflite.RIGHT_SHIFT, expected values element by element in Python's own numbers."""

from __future__ import annotations

from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.bits import bit_cases
from .samples import exact, ints

OP = "tflite.RIGHT_SHIFT"


def cases() -> Iterator[ConformanceCase]:
    """Shapes that broadcast, every integer type, constants, numbers of bits that are negative or too many."""
    yield from bit_cases(OP, lambda a, b: int(a) >> int(b), 420, is_shift=True)
    operands = (ints(-100, -100, 100, 100), ints(-3, 40, -1, 32))
    yield exact(OP, "bits_out_of_range", operands, (ints(-100, -1, 100, 0),), source="hand")
