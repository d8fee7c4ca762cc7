"""Conformance cases of ZerosLike, expected values element by element in Python's own numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .families.elementwise import SHAPES, special_cases
from .loops.scalars import INTEGERS, exact_case

NAN, INF = float("nan"), float("inf")


def cases() -> Iterator[ConformanceCase]:
    """Shapes, every dtype, inputs that are not finite, a constant."""

    for name, shape in SHAPES:
        x = np.full(shape, 7, dtype=np.float32)
        yield exact_case(name, "ZerosLike", (x,), lambda v: 0)
    for dtype in ("bool", "float16", "float64", *INTEGERS):
        x = np.array([[0, 1, 3]]).astype(dtype)
        yield exact_case(dtype, "ZerosLike", (x,), lambda v: 0)
    yield from special_cases("ZerosLike", [[NAN, INF, -INF]], [0, 0, 0])
    x = np.array([2, 3], dtype=np.int32)
    yield exact_case("constant", "ZerosLike", (x,), lambda v: 0, constants=frozenset({0}))
