"""Conformance cases of Mod, expected values element by element in Python's own numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .families.elementwise import special_cases
from .loops.scalars import binary_cases, exact_case

NAN, INF = float("nan"), float("inf")


def _remainder(a: float, b: float) -> float:
    if isinstance(a, float):
        return math.fmod(a, b)
    magnitude = abs(a) % abs(b)
    return -magnitude if a < 0 else magnitude


def cases() -> Iterator[ConformanceCase]:
    """Broadcasting, every dtype, every pair of signs, the lowest integers, special values."""
    yield from binary_cases("Mod", _remainder, 98)
    a = np.array([7, -7, 7, -7, 6, -6], dtype=np.int32)
    b = np.array([3, 3, -3, -3, 3, -3], dtype=np.int32)
    y = np.array([1, -1, 1, -1, 0, 0], dtype=np.int32)
    for dtype in ("int8", "int16", "int32", "int64", "float32", "float16"):
        inputs, outputs = (a.astype(dtype), b.astype(dtype)), (y.astype(dtype),)
        yield ConformanceCase(f"signs_{dtype}", "Mod", inputs, outputs, rtol=0, atol=0, source="hand")
    for dtype in ("int8", "int16", "int32", "int64"):
        lowest = np.array([np.iinfo(dtype).min] * 4, dtype=dtype)
        divisors = np.array([-1, 1, 7, -7], dtype=dtype)
        yield exact_case(f"lowest_{dtype}", "Mod", (lowest, divisors), _remainder)
    x = [NAN, 1.0, INF, 5.5, -5.5, 1.0, -1.0, 5.5]
    z = [1.0, NAN, 2.0, INF, INF, 0.0, -0.0, 2.0]
    yield from special_cases("Mod", [x, z], [NAN, NAN, NAN, 5.5, -5.5, NAN, NAN, 1.5])
