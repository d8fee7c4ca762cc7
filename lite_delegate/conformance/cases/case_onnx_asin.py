"""Conformance cases of ai.onnx.Asin, expected values element by element in Python's own numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.elementwise import special_cases, unary_cases

OP = "ai.onnx.Asin"
NAN, INF = float("nan"), float("inf")


def cases() -> Iterator[ConformanceCase]:
    """Shapes, float dtypes, the ends, what lies beyond, NaN."""
    yield from unary_cases(OP, math.asin, 64, low=-1.0, high=1.0)
    yield from special_cases(OP, [[1.0, -1.0, 0.0, 1.5, -INF, NAN]], [math.pi / 2, -math.pi / 2, 0.0, NAN, NAN, NAN])
