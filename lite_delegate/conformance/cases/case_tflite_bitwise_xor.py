"""Conformance cases of tflite.BITWISE_XOR, expected values element by element in Python's own numbers."""

from __future__ import annotations

from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.bits import bit_cases


def cases() -> Iterator[ConformanceCase]:
    """Shapes that broadcast, every integer type, constants."""
    yield from bit_cases("tflite.BITWISE_XOR", lambda a, b: int(a) ^ int(b), 419)
