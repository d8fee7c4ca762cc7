"""Conformance cases of RealDiv, expected values element by element in Python's own numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .families.elementwise import special_cases
from .loops.scalars import binary_cases, exact_case, truncated_quotient

NAN, INF = float("nan"), float("inf")


def cases() -> Iterator[ConformanceCase]:
    """Broadcasting, every dtype, truncation for every pair of signs, the lowest integers, special values."""
    yield from binary_cases("RealDiv", truncated_quotient, 117)
    a = np.array([7, -7, 7, -7, 6, -6, 0, 1, -1], dtype=np.int32)
    b = np.array([2, 2, -2, -2, 3, -3, -5, 4, 4], dtype=np.int32)
    truncated = np.array([3, -3, -3, 3, 2, 2, 0, 0, 0], dtype=np.int32)
    for dtype in ("int8", "int16", "int32", "int64"):
        inputs, outputs = (a.astype(dtype), b.astype(dtype)), (truncated.astype(dtype),)
        yield ConformanceCase(f"signs_{dtype}", "RealDiv", inputs, outputs, source="hand")
        lowest = np.array([np.iinfo(dtype).min] * 4, dtype=dtype)
        divisors = np.array([-1, 1, 7, -7], dtype=dtype)
        yield exact_case(f"lowest_{dtype}", "RealDiv", (lowest, divisors), truncated_quotient)
    x = [NAN, INF, INF, 1.0, -1.0, 0.0, 1.0, 1.0]
    z = [1.0, 2.0, INF, 0.0, 0.0, 0.0, -0.0, -INF]
    yield from special_cases("RealDiv", [x, z], [NAN, INF, NAN, INF, -INF, NAN, -INF, -0.0])
