"""Conformance cases of SquaredDifference, expected values element by element in Python's own numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .families.elementwise import special_cases
from .loops.scalars import INTEGERS, SHAPE_PAIRS, exact_case, loop

NAN, INF = float("nan"), float("inf")


def _square(a: float, b: float) -> float:
    return (a - b) ** 2


def cases() -> Iterator[ConformanceCase]:
    """Broadcasting, every dtype, integers that wrap around, float16 rounded once, overflow, special values."""
    rng = np.random.default_rng(149)
    for name, left, right in SHAPE_PAIRS:
        inputs = tuple(np.asarray(rng.normal(size=s)).astype(np.float32) for s in (left, right))
        yield ConformanceCase(name, "SquaredDifference", inputs, (loop(_square, *inputs),), rtol=1e-6, atol=1e-7)
    a, b = rng.normal(size=(2, 3, 5))
    yield ConformanceCase("float64", "SquaredDifference", (a, b), (loop(_square, a, b),), rtol=1e-12, atol=1e-14)
    halves = (a.astype(np.float16), b.astype(np.float16))
    yield exact_case("float16", "SquaredDifference", halves, _square)
    for dtype in INTEGERS:
        info = np.iinfo(dtype)
        pair = rng.integers(info.min, info.max, size=(2, 3, 4), dtype=dtype, endpoint=True)
        yield exact_case(dtype, "SquaredDifference", (pair[0], pair[1]), _square)
    whole = (np.array([3, -4], dtype=np.float32), np.array([5, 1], dtype=np.float32))
    for name, constants in (("constant_second", {1}), ("both_constant", {0, 1})):
        yield exact_case(name, "SquaredDifference", whole, _square, constants=frozenset(constants))
    large = np.array([3e38, 1e20, 1e-30], dtype=np.float32)
    yield exact_case("overflow_and_underflow", "SquaredDifference", (large, np.zeros(3, np.float32)), _square)
    x, y = [NAN, INF, INF, -INF, 1.0], [1.0, 1.0, INF, INF, NAN]
    yield from special_cases("SquaredDifference", [x, y], [NAN, INF, NAN, INF, NAN])
