"""Conformance cases of FillV2, expected values set element by element."""

from __future__ import annotations

from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.filling import filling_cases
from .samples import exact


def cases() -> Iterator[ConformanceCase]:
    """Every rank, an empty shape, every value dtype, NaN and infinity, a shape that is not constant."""
    for name, value, shape, expected, constant in filling_cases(221):
        yield exact("FillV2", name, (shape, value), (expected,), constants={0} if constant else ())
