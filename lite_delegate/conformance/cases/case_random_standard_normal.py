"""Conformance cases of RandomStandardNormal: the numbers that Philox gives for the seeds."""

from __future__ import annotations

from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.drawing import drawn_cases
from .loops.philox import normals


def cases() -> Iterator[ConformanceCase]:
    """Seeds, shapes of rank 0 to 5, counts that fill no block, the shape not constant."""
    yield from drawn_cases("RandomStandardNormal", normals, rtol=1e-5, atol=3e-6)
