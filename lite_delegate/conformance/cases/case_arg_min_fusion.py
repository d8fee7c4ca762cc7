"""Conformance cases of ArgMinFusion, expected values by choosing the smallest of every line again and again."""

from __future__ import annotations

from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.selection import selection_cases


def cases() -> Iterator[ConformanceCase]:
    """Indices, values and both, with and without the axis, one element and several, ties, special values, dtypes."""
    yield from selection_cases("ArgMinFusion", 12, largest=False)
