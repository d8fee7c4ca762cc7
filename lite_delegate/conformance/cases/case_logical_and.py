"""Conformance cases of LogicalAnd, expected values element by element in Python's own numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .families.elementwise import FLOATS, special_cases
from .loops.scalars import INTEGERS, SHAPE_PAIRS, exact_case

NAN, INF = float("nan"), float("inf")


def _and(a: float, b: float) -> bool:
    return bool(a) and bool(b)


def _flags(rng: np.random.Generator, shape: tuple[int, ...], dtype: str = "bool") -> Array:
    """Zeros, and as many of 1 and 2 together."""
    return np.asarray(rng.choice([0, 0, 1, 2], size=shape)).astype(dtype)


def cases() -> Iterator[ConformanceCase]:
    """Broadcasting, the table of truth, numbers of every dtype, NaN, zero of either sign."""

    rng = np.random.default_rng(81)
    for name, left, right in SHAPE_PAIRS:
        yield exact_case(name, "LogicalAnd", (_flags(rng, left), _flags(rng, right)), _and)
    a, b = np.array([False, False, True, True]), np.array([False, True, False, True])
    yield exact_case("table_of_truth", "LogicalAnd", (a, b), _and)
    for name, constants in (("constant_second", {1}), ("both_constant", {0, 1})):
        yield exact_case(name, "LogicalAnd", (a, b), _and, constants=frozenset(constants))
    for dtype in (*FLOATS, *INTEGERS):
        inputs = (_flags(rng, (3, 5), dtype), _flags(rng, (5,), dtype))
        yield exact_case(dtype, "LogicalAnd", inputs, _and)
    yield from special_cases("LogicalAnd", [[NAN, INF, 0.5, 0.0], [0.0, -0.0, -1.0, -0.0]], [0, 0, 1, 0])
