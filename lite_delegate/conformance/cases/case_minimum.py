"""Conformance cases of Minimum, expected values element by element in Python's own numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .loops.scalars import binary_cases

NAN, INF = float("nan"), float("inf")


def _smaller(a: float, b: float) -> float:
    return a if a < b else b


def cases() -> Iterator[ConformanceCase]:
    """Broadcasting, every dtype, ties, NaN on either side, infinities."""
    yield from binary_cases("Minimum", _smaller, 96)
    a = np.array([NAN, 1.0, NAN, INF, -INF, -INF, 2.0], dtype=np.float32)
    b = np.array([1.0, NAN, NAN, 3.0, 3.0, INF, 2.0], dtype=np.float32)
    for dtype in ("float32", "float16"):
        y = np.array([NAN, NAN, NAN, 3.0, -INF, -INF, 2.0], dtype=dtype)
        inputs = (a.astype(dtype), b.astype(dtype))
        yield ConformanceCase(f"special_values_{dtype}", "Minimum", inputs, (y,), rtol=0, atol=0, source="hand")
