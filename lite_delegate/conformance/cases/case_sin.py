"""Conformance cases of Sin, expected values element by element in Python's own numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .families.elementwise import special_cases, unary_cases
from .loops.scalars import loop

NAN, INF = float("nan"), float("inf")


def cases() -> Iterator[ConformanceCase]:
    """Shapes, float dtypes, many turns, zero of either sign, infinities, NaN."""

    yield from unary_cases("Sin", math.sin, 133, low=-7.0, high=7.0)
    yield from special_cases("Sin", [[0.0, -0.0, INF, -INF, NAN]], [0.0, -0.0, NAN, NAN, NAN])
    turns = np.array([100.0, -1000.0, 12345.678, math.pi, math.pi / 2], dtype=np.float32)
    yield ConformanceCase("many_turns", "Sin", (turns,), (loop(math.sin, turns),), rtol=2e-6, atol=1e-6)
