"""Conformance cases of LeakyRelu, expected values element by element in Python's own numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .families.elementwise import special_cases, unary_cases
from .loops.scalars import loop

NAN, INF = float("nan"), float("inf")


def _rule(slope: float) -> Callable[[float], float]:
    return lambda v: v if v > 0 else slope * v


def cases() -> Iterator[ConformanceCase]:
    """Shapes and dtypes; negative_slope 0, between 0 and 1, 1, above 1, below 0; infinities, NaN."""

    yield from unary_cases("LeakyRelu", _rule(0.5), 76, attributes={"negative_slope": 0.5})
    rng = np.random.default_rng(760)
    for negative_slope in (0.0, 0.01, 0.25, 1.0, 1.5, -0.5):
        x = (rng.normal(size=(2, 3, 3, 7)) * 3).astype(np.float32)
        attributes = {"negative_slope": negative_slope}
        yield ConformanceCase(
            f"negative_slope_{negative_slope}",
            "LeakyRelu",
            (x,),
            (loop(_rule(negative_slope), x),),
            attributes,
            rtol=2e-6,
            atol=1e-6,
        )
    x = rng.normal(size=(4, 5)).astype(np.float32)
    yield ConformanceCase("default_is_0", "LeakyRelu", (x,), (loop(_rule(0.0), x),), rtol=0, atol=0)
    special = [NAN, INF, -INF, -0.0, 0.0, -1000.0]
    yield from special_cases(
        "LeakyRelu", [special], [NAN, INF, -INF, -0.0, 0.0, -1500.0], attributes={"negative_slope": 1.5}
    )
