"""Conformance cases of Tril, expected values by a direct loop over every element."""

from __future__ import annotations

from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.triangles import triangle_cases


def cases() -> Iterator[ConformanceCase]:
    """Shapes, diagonals and dtypes; kept is what lies on or below the diagonal."""
    yield from triangle_cases("Tril", lambda i, j, k: j <= i + k, 219)
