"""Conformance cases of FftImag, one pair at a time."""

from __future__ import annotations

from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.complex_parts import part_cases


def cases() -> Iterator[ConformanceCase]:
    """Ranks 1 to 5, float types, NaN and infinity, empty arrays."""
    yield from part_cases("FftImag", 1, 60)
