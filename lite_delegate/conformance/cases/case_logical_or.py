"""Conformance cases of LogicalOr, expected values element by element in Python's own numbers."""

from __future__ import annotations

from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.arithmetic import logical_cases


def _or(a: float, b: float) -> bool:
    return bool(a) or bool(b)


def cases() -> Iterator[ConformanceCase]:
    """Broadcasting, the table of truth, numbers of every dtype, NaN, zero of either sign."""
    yield from logical_cases("LogicalOr", _or, 83, [1, 1, 1, 0])
