"""Conformance cases of LogicalAnd, expected values element by element in Python's own numbers."""

from __future__ import annotations

from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.arithmetic import logical_cases


def _and(a: float, b: float) -> bool:
    return bool(a) and bool(b)


def cases() -> Iterator[ConformanceCase]:
    """Broadcasting, the table of truth, numbers of every dtype, NaN, zero of either sign."""
    yield from logical_cases("LogicalAnd", _and, 81, [0, 0, 1, 0])
