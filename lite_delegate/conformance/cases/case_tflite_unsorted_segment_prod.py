"""Conformance cases of tflite.UNSORTED_SEGMENT_PROD, expected values by taking one element after another."""

from __future__ import annotations

from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.segments import segment_cases


def cases() -> Iterator[ConformanceCase]:
    """Segments of every kind; those without rows have 1."""
    yield from segment_cases("tflite.UNSORTED_SEGMENT_PROD", lambda a, b: a * b, lambda dtype: 1, 424)
