"""Conformance cases of tflite.UNSORTED_SEGMENT_MAX, expected values by taking one element after another."""

from __future__ import annotations

from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.segments import segment_cases

LOWEST = {"float32": -3.4028234663852886e38, "int32": -(2**31)}


def cases() -> Iterator[ConformanceCase]:
    """Segments of every kind; those without rows have the lowest number."""
    yield from segment_cases("tflite.UNSORTED_SEGMENT_MAX", max, LOWEST.__getitem__, 422)
