"""Conformance cases of Elu, expected values element by element in Python's own numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .families.elementwise import special_cases, unary_cases
from .loops.scalars import loop

NAN, INF = float("nan"), float("inf")


def _rule(slope: float) -> Callable[[float], float]:
    return lambda v: v if v > 0 else slope * math.expm1(v)


def cases() -> Iterator[ConformanceCase]:
    """Shapes and dtypes; alpha 0, between 0 and 1, 1, above 1, below 0; infinities, NaN."""

    yield from unary_cases("Elu", _rule(0.5), 51, attributes={"alpha": 0.5})
    rng = np.random.default_rng(510)
    for alpha in (0.0, 1.0, 0.25, 1.5, -0.5):
        x = (rng.normal(size=(2, 3, 3, 7)) * 3).astype(np.float32)
        attributes = {"alpha": alpha}
        yield ConformanceCase(f"alpha_{alpha}", "Elu", (x,), (loop(_rule(alpha), x),), attributes, rtol=2e-6, atol=1e-6)
    x = rng.normal(size=(4, 5)).astype(np.float32)
    yield ConformanceCase("default_is_0", "Elu", (x,), (loop(_rule(0.0), x),), rtol=0, atol=0)
    special = [NAN, INF, -INF, -0.0, 0.0, -1000.0]
    yield from special_cases("Elu", [special], [NAN, INF, -1.5, -0.0, 0.0, -1.5], attributes={"alpha": 1.5})
