"""Conformance cases of tflite.UNSORTED_SEGMENT_MIN, expected values by taking one element after another."""

from __future__ import annotations

from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.segments import segment_cases

HIGHEST = {"float32": 3.4028234663852886e38, "int32": 2**31 - 1}


def cases() -> Iterator[ConformanceCase]:
    """Segments of every kind; those without rows have the highest number."""
    yield from segment_cases("tflite.UNSORTED_SEGMENT_MIN", min, HIGHEST.__getitem__, 423)
