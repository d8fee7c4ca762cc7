"""Conformance cases of ai.onnx.Atan, expected values element by element in Python's own numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.elementwise import special_cases, unary_cases

OP = "ai.onnx.Atan"
NAN, INF = float("nan"), float("inf")


def cases() -> Iterator[ConformanceCase]:
    """Shapes, float dtypes, zero of either sign, infinities, NaN."""
    yield from unary_cases(OP, math.atan, 64, low=-9.0, high=9.0)
    yield from special_cases(OP, [[0.0, -0.0, INF, -INF, NAN]], [0.0, -0.0, math.pi / 2, -math.pi / 2, NAN])
