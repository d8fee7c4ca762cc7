"""Conformance cases of Neg, expected values element by element in Python's own numbers."""

from __future__ import annotations

import operator
from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .families.elementwise import special_cases, unary_cases
from .loops.scalars import exact_case

NAN, INF = float("nan"), float("inf")
SIGNED = ("int8", "int16", "int32", "int64")


def cases() -> Iterator[ConformanceCase]:
    """Shapes, float and signed dtypes, the lowest integers, infinities, NaN."""

    yield from unary_cases("Neg", operator.neg, 101, integers=SIGNED)
    yield from special_cases("Neg", [[NAN, INF, -INF, -0.0, 0.0, -1.5]], [NAN, -INF, INF, 0.0, -0.0, 1.5])
    for dtype in SIGNED:
        info = np.iinfo(dtype)
        x = np.array([info.min, info.min + 1, 0, info.max], dtype=dtype)
        yield exact_case(f"{dtype}_limits", "Neg", (x,), operator.neg)
