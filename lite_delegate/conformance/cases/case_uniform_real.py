"""Conformance cases of UniformReal: the numbers that Philox gives for the seeds."""

from __future__ import annotations

from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.drawing import drawn_cases
from .loops.philox import uniforms


def cases() -> Iterator[ConformanceCase]:
    """Seeds, shapes of rank 0 to 5, counts that fill no block, the shape not constant."""
    yield from drawn_cases("UniformReal", uniforms, rtol=0, atol=0)
