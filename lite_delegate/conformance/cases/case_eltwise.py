"""Conformance cases of Eltwise, expected values element by element in Python's own numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import add, mul

import numpy as np

from ..judging.case import ConformanceCase
from .loops.scalars import INTEGERS, exact_case

NAN, INF = float("nan"), float("inf")


def _maximum(a: float, b: float) -> float:
    return a if a > b else b


MODES: list[tuple[str, Callable[[float, float], float]]] = [("PROD", mul), ("SUM", add), ("MAXIMUM", _maximum)]
SHAPES = [
    ("rank_0", (), ()),
    ("rank_1", (3,), (3,)),
    ("rank_4", (2, 3, 1, 7), (2, 3, 1, 7)),
    ("per_channel", (2, 2, 3, 16), (16,)),
    ("both_stretch", (3, 1), (1, 5)),
    ("empty", (0, 4), (0, 4)),
]
SPECIAL = {"PROD": [NAN, NAN, -INF, INF], "SUM": [NAN, INF, NAN, INF], "MAXIMUM": [NAN, INF, INF, 3e38]}


def cases() -> Iterator[ConformanceCase]:
    """Every mode over shapes, broadcasting, dtypes and special values; the default mode."""
    rng = np.random.default_rng(52)
    for mode, function in MODES:
        key, attributes = mode.lower(), {"mode": mode}
        for name, left, right in SHAPES:
            a = np.asarray(rng.normal(size=left), dtype=np.float32)
            b = np.asarray(rng.normal(size=right), dtype=np.float32)
            yield exact_case(f"{key}_{name}", "Eltwise", (a, b), function, attributes=attributes)
        for dtype in ("float16", "float64", *INTEGERS):
            a, b = (rng.normal(size=(2, 2, 5)) * 30).astype("float64" if dtype == "float64" else "int16")
            inputs = (a.astype(dtype), b.astype(dtype))
            yield exact_case(f"{key}_{dtype}", "Eltwise", inputs, function, attributes=attributes)
        a = np.array([NAN, INF, INF, 3e38], dtype=np.float32)
        b = np.array([1.0, 0.0, -INF, 3e38], dtype=np.float32)
        y = np.array(SPECIAL[mode], dtype=np.float32)
        yield ConformanceCase(f"{key}_special_values", "Eltwise", (a, b), (y,), attributes, source="hand")
    a, b = rng.normal(size=(2, 3)).astype(np.float32)
    yield exact_case("mode_defaults_to_prod", "Eltwise", (a, b), mul)
