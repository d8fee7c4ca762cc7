"""Conformance cases of IsFinite, expected values element by element in Python's own numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .families.elementwise import FLOATS, SHAPES, special_cases
from .loops.scalars import exact_case

NAN, INF = float("nan"), float("inf")


def cases() -> Iterator[ConformanceCase]:
    """Shapes, float dtypes, NaN, infinities, the largest and smallest numbers."""

    rng = np.random.default_rng(180)
    for dtype in FLOATS:
        for name, shape in SHAPES:
            x = np.asarray(rng.choice([NAN, INF, -INF, 0.0, -0.0, 1.5], size=shape)).astype(dtype)
            yield exact_case(f"{name}_{dtype}", "IsFinite", (x,), math.isfinite, dtype="bool")
        limits = np.finfo(dtype)
        x = np.array([limits.max, limits.min, limits.tiny, limits.smallest_subnormal], dtype=dtype)
        yield exact_case(f"limits_{dtype}", "IsFinite", (x,), math.isfinite, dtype="bool")
    special = [NAN, INF, -INF, 0.0, -0.0, 1.0]
    yield from special_cases("IsFinite", [special], [False, False, False, True, True, True], dtype="bool")
