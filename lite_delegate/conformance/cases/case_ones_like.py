"""Conformance cases of OnesLike, expected values element by element in Python's own numbers."""

from __future__ import annotations

from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.elementwise import constant_cases


def cases() -> Iterator[ConformanceCase]:
    """Shapes, every dtype, inputs that are not finite, a constant."""
    yield from constant_cases("OnesLike", 1)
