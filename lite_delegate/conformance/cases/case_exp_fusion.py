"""Conformance cases of ExpFusion, expected values element by element in Python's own numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .families.elementwise import special_cases, unary_cases
from .loops.scalars import loop

NAN, INF = float("nan"), float("inf")


def _power(base: float = math.e, scale: float = 1.0, shift: float = 0.0) -> Callable[[float], float]:
    return lambda v: math.pow(base, scale * v + shift)


def cases() -> Iterator[ConformanceCase]:
    """Shapes and dtypes with e; other bases, scales and shifts; overflow, infinities, NaN."""

    yield from unary_cases("ExpFusion", math.exp, 55)
    rng = np.random.default_rng(56)
    for name, attributes in [
        ("base_2", {"base": 2.0}),
        ("base_10", {"base": 10.0}),
        ("base_one_half", {"base": 0.5}),
        ("base_1", {"base": 1.0}),
        ("scale", {"scale": 0.5}),
        ("shift", {"shift": -1.5}),
        ("scale_0", {"scale": 0.0, "shift": 2.0}),
        ("scale_and_shift", {"scale": -0.75, "shift": 0.25}),
        ("base_3_scale_and_shift", {"base": 3.0, "scale": -0.75, "shift": 0.25}),
    ]:
        x = rng.uniform(-4, 4, size=(2, 3, 7)).astype(np.float32)
        yield ConformanceCase(name, "ExpFusion", (x,), (loop(_power(**attributes), x),), attributes)
    half = rng.uniform(-4, 4, size=(3, 8)).astype(np.float16)
    attributes = {"base": 2.0, "scale": 0.5, "shift": 0.25}
    y = loop(_power(**attributes), half)
    yield ConformanceCase("base_2_scale_and_shift_float16", "ExpFusion", (half,), (y,), attributes, rtol=1e-3)
    special = [0.0, INF, -INF, NAN, 1e4, -1e4]
    yield from special_cases("ExpFusion", [special], [1.0, INF, 0.0, NAN, INF, 0.0])
    attributes = {"base": 0.5}
    name = "special_values_base_one_half"
    yield from special_cases("ExpFusion", [special], [1.0, 0.0, INF, NAN, 0.0, INF], attributes=attributes, name=name)
