"""Conformance cases of AddN, expected values element by element in Python's own numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .families.elementwise import SHAPES, TOLERANCES, special_cases
from .loops.scalars import INTEGERS, exact_case, loop

NAN, INF = float("nan"), float("inf")


def _sum(*values: float) -> float:
    return math.fsum(values) if isinstance(values[0], float) else sum(values)


def cases() -> Iterator[ConformanceCase]:
    """One to nine inputs, shapes, every dtype, integers that wrap around, constants, special values."""
    rng = np.random.default_rng(8)
    for count in (1, 2, 3, 4, 9):
        inputs = tuple(rng.normal(size=(count, 2, 3, 4)).astype(np.float32))
        y = loop(_sum, *inputs)
        yield ConformanceCase(f"inputs_{count}", "AddN", inputs, (y,), rtol=2e-6, atol=1e-6)
    for name, shape in SHAPES:
        inputs = tuple(np.asarray(v) for v in rng.normal(size=(3, *shape)).astype(np.float32))
        yield ConformanceCase(name, "AddN", inputs, (loop(_sum, *inputs),), rtol=2e-6, atol=1e-6)
    for dtype in ("float16", "float64"):
        rtol, atol = TOLERANCES[dtype]
        inputs = tuple(rng.normal(size=(5, 3, 7)).astype(dtype))
        yield ConformanceCase(dtype, "AddN", inputs, (loop(_sum, *inputs),), rtol=rtol, atol=atol)
    steps = tuple(np.array([v], dtype=np.float16) for v in (2048, 1, 1))
    y = np.array([2050], dtype=np.float16)
    yield ConformanceCase("float16_is_rounded_once", "AddN", steps, (y,), rtol=0, atol=0, source="hand")
    for dtype in INTEGERS:
        info = np.iinfo(dtype)
        inputs = tuple(rng.integers(info.min, info.max, size=(3, 2, 5), dtype=dtype, endpoint=True))
        yield exact_case(dtype, "AddN", inputs, _sum)
    inputs = tuple(np.array([v, -v], dtype=np.float32) for v in (1, 2, 4))
    for name, constants in (("constant_first", {0}), ("constant_middle", {1}), ("all_constant", {0, 1, 2})):
        yield exact_case(name, "AddN", inputs, _sum, constants=frozenset(constants))
    a, b, c = [NAN, INF, INF, 1.0], [1.0, 1.0, -INF, 2.0], [1.0, 2.0, 1.0, -INF]
    yield from special_cases("AddN", [a, b, c], [NAN, INF, NAN, -INF])
