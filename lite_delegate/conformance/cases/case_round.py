"""Conformance cases of Round, expected values element by element in Python's own numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .families.elementwise import special_cases, unary_cases

NAN, INF = float("nan"), float("inf")


def cases() -> Iterator[ConformanceCase]:
    """Shapes, float dtypes, halves of either sign go to the even number, large numbers, infinities, NaN."""

    yield from unary_cases("Round", round, 125)
    x = [0.5, 1.5, 2.5, 3.5, -0.5, -1.5, -2.5, 1.25, -1.75, INF, -INF, NAN]
    y = [0.0, 2.0, 2.0, 4.0, -0.0, -2.0, -2.0, 1.0, -2.0, INF, -INF, NAN]
    yield from special_cases("Round", [x], y, name="halves_go_to_even")
    near = np.array([0.49999997, 0.50000006, 8388607.5, 8388608.0, 16777216.0, 3e38], dtype=np.float32)
    whole = np.array([0, 1, 8388608, 8388608, 16777216, 3e38], dtype=np.float32)
    yield ConformanceCase("next_to_a_half_and_large", "Round", (near,), (whole,), source="hand")
