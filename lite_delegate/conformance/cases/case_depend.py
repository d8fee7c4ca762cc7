"""Conformance cases of Depend: the output is the first input."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .families.elementwise import FLOATS, SHAPES
from .loops.scalars import INTEGERS


def _case(name: str, *inputs: Array, constants: frozenset[int] = frozenset()) -> ConformanceCase:
    outputs = (inputs[0].copy(),)
    return ConformanceCase(name, "Depend", inputs, outputs, {}, constants, source="hand")


def cases() -> Iterator[ConformanceCase]:
    """Shapes, every dtype, no others, one, and two of another shape and dtype; constants on either side."""
    rng = np.random.default_rng(44)
    other = np.array([1, 2, 3], dtype=np.int32)
    for name, shape in SHAPES:
        yield _case(name, np.asarray(rng.normal(size=shape)).astype(np.float32), other)
    for dtype in ("bool", *FLOATS, *INTEGERS):
        yield _case(dtype, rng.integers(0, 2, size=(2, 3)).astype(dtype), other)
    x = np.array([np.nan, np.inf, -0.0], dtype=np.float32)
    yield _case("alone", x)
    yield _case("two_others", x, other, np.array(True))
    yield _case("constant_first", x, other, constants=frozenset({0}))
    yield _case("constant_other", x, other, constants=frozenset({1}))
    yield _case("all_constant", x, other, constants=frozenset({0, 1}))
