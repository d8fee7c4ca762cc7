"""Conformance cases of tflite.ATAN2, expected values element by element in Python's own numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .families.elementwise import TOLERANCES
from .loops.scalars import SHAPE_PAIRS, loop

OP = "tflite.ATAN2"


def cases() -> Iterator[ConformanceCase]:
    """Shapes that broadcast, all quarters, zeros of both signs, infinities, a constant, float64."""
    rng = np.random.default_rng(418)
    for name, left, right in SHAPE_PAIRS:
        y, x = (np.asarray(rng.normal(size=shape), np.float32) for shape in (left, right))
        yield _case(name, y, x)
    y, x = rng.normal(size=(2, 3, 5))
    yield _case("float64", y, x)
    yield _case("constant", y.astype(np.float32), x.astype(np.float32), constants=frozenset({1}))
    special = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan], np.float32)
    yield _case("special_values", special.reshape(7, 1), special)


def _case(name: str, y: np.ndarray, x: np.ndarray, constants: frozenset[int] = frozenset()) -> ConformanceCase:
    rtol, atol = TOLERANCES[y.dtype.name]
    return ConformanceCase(name, OP, (y, x), (loop(math.atan2, y, x),), {}, constants, rtol, atol)
