"""Conformance cases of Abs, expected values element by element in Python's own numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .families.elementwise import special_cases, unary_cases
from .loops.scalars import INTEGERS, exact_case

NAN, INF = float("nan"), float("inf")


def cases() -> Iterator[ConformanceCase]:
    """Shapes, every dtype, the lowest integers, signed zero, infinities, NaN."""

    yield from unary_cases("Abs", abs, 1, integers=INTEGERS)
    yield from special_cases("Abs", [[NAN, INF, -INF, -0.0, 0.0, -1.5]], [NAN, INF, INF, 0.0, 0.0, 1.5])
    for dtype in INTEGERS:
        info = np.iinfo(dtype)
        x = np.array([info.min, info.min + 1, 0, info.max], dtype=dtype)
        yield exact_case(f"{dtype}_limits", "Abs", (x,), abs)
