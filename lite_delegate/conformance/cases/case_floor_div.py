"""Conformance cases of FloorDiv, expected values element by element in Python's own numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .families.arithmetic import lowest_cases, sign_cases
from .families.elementwise import special_cases
from .loops.scalars import binary_cases

NAN, INF = float("nan"), float("inf")


def _quotient(a: float, b: float) -> float:
    return math.floor(a / b) if isinstance(a, float) else a // b


def cases() -> Iterator[ConformanceCase]:
    """Broadcasting, every dtype, rounding down for every pair of signs, the lowest integers, special values."""
    yield from binary_cases("FloorDiv", _quotient, 64)
    a, b = [7, -7, 7, -7, 6, -6, 0, 1, -1], [2, 2, -2, -2, 3, -3, -5, 4, 4]
    yield from sign_cases("FloorDiv", a, b, [3, -4, -4, 3, 2, 2, 0, 0, -1], ("float32", "float16"))
    yield from lowest_cases("FloorDiv", _quotient)
    tenth = np.array([0.1], dtype=np.float32)
    y = np.array([10], dtype=np.float32)
    one = np.array([1], dtype=np.float32)
    yield ConformanceCase("the_rounded_quotient_counts", "FloorDiv", (one, tenth), (y,), source="hand")
    inputs = (np.array([1342], dtype=np.float16), np.array([22.75], dtype=np.float16))  # 58.989, in float16 59
    y = np.array([58], dtype=np.float16)
    yield ConformanceCase("float16_is_floored_first", "FloorDiv", inputs, (y,), source="hand")
    x = [NAN, 1.0, INF, 5.5, -5.5, 1.0, -1.0, 0.0]
    z = [1.0, NAN, 2.0, INF, INF, 0.0, 0.0, 0.0]
    yield from special_cases("FloorDiv", [x, z], [NAN, NAN, INF, 0.0, -0.0, INF, -INF, NAN])
