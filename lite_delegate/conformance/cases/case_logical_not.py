"""Conformance cases of LogicalNot, expected values element by element in Python's own numbers."""

from __future__ import annotations

import operator
from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .families.elementwise import FLOATS, SHAPES, special_cases
from .loops.scalars import INTEGERS, exact_case

NAN, INF = float("nan"), float("inf")


def cases() -> Iterator[ConformanceCase]:
    """Shapes, bool, numbers of every dtype, NaN, zero of either sign."""

    rng = np.random.default_rng(82)
    for name, shape in SHAPES:
        x = np.asarray(rng.integers(0, 2, size=shape)).astype(bool)
        yield exact_case(name, "LogicalNot", (x,), operator.not_)
    for dtype in (*FLOATS, *INTEGERS):
        x = rng.integers(0, 3, size=(3, 5)).astype(dtype)
        yield exact_case(dtype, "LogicalNot", (x,), operator.not_)
    yield from special_cases("LogicalNot", [[NAN, INF, 0.0, -0.0, 0.5]], [0, 0, 1, 1, 0])
    yield exact_case("constant", "LogicalNot", (np.array([True, False]),), operator.not_, constants=frozenset({0}))
