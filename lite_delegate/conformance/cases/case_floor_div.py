"""Conformance cases of FloorDiv, expected values element by element in Python's own numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .families.elementwise import special_cases
from .loops.scalars import binary_cases, exact_case

NAN, INF = float("nan"), float("inf")


def _quotient(a: float, b: float) -> float:
    return math.floor(a / b) if isinstance(a, float) else a // b


def cases() -> Iterator[ConformanceCase]:
    """Broadcasting, every dtype, rounding down for every pair of signs, the lowest integers, special values."""
    yield from binary_cases("FloorDiv", _quotient, 64)
    a = np.array([7, -7, 7, -7, 6, -6, 0, 1, -1], dtype=np.int32)
    b = np.array([2, 2, -2, -2, 3, -3, -5, 4, 4], dtype=np.int32)
    y = np.array([3, -4, -4, 3, 2, 2, 0, 0, -1], dtype=np.int32)
    for dtype in ("int8", "int16", "int32", "int64", "float32", "float16"):
        inputs, outputs = (a.astype(dtype), b.astype(dtype)), (y.astype(dtype),)
        yield ConformanceCase(f"signs_{dtype}", "FloorDiv", inputs, outputs, rtol=0, atol=0, source="hand")
    for dtype in ("int8", "int16", "int32", "int64"):
        lowest = np.array([np.iinfo(dtype).min] * 4, dtype=dtype)
        divisors = np.array([-1, 1, 7, -7], dtype=dtype)
        yield exact_case(f"lowest_{dtype}", "FloorDiv", (lowest, divisors), _quotient)
    tenth = np.array([0.1], dtype=np.float32)
    y = np.array([10], dtype=np.float32)
    one = np.array([1], dtype=np.float32)
    yield ConformanceCase("the_rounded_quotient_counts", "FloorDiv", (one, tenth), (y,), rtol=0, atol=0, source="hand")
    inputs = (np.array([1342], dtype=np.float16), np.array([22.75], dtype=np.float16))  # 58.989, in float16 59
    y = np.array([58], dtype=np.float16)
    yield ConformanceCase("float16_is_floored_first", "FloorDiv", inputs, (y,), rtol=0, atol=0, source="hand")
    x = [NAN, 1.0, INF, 5.5, -5.5, 1.0, -1.0, 0.0]
    z = [1.0, NAN, 2.0, INF, INF, 0.0, 0.0, 0.0]
    yield from special_cases("FloorDiv", [x, z], [NAN, NAN, INF, 0.0, -0.0, INF, -INF, NAN])
