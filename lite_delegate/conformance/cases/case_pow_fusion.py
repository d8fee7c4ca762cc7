"""Conformance cases of PowFusion, expected values element by element in Python's own numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .families.elementwise import TOLERANCES, special_cases
from .loops.scalars import INTEGERS, SHAPE_PAIRS, exact_case, loop

NAN, INF = float("nan"), float("inf")


def _case(name: str, x: Array, exponent: Array, scale: float = 1.0, shift: float = 0.0) -> ConformanceCase:
    y = loop(lambda v, e: (scale * v + shift) ** e, x, exponent)
    rtol, atol = TOLERANCES[x.dtype.name]
    attributes: dict[str, Any] = {"scale": scale, "shift": shift}
    return ConformanceCase(name, "PowFusion", (x, exponent), (y,), attributes, frozenset({1}), rtol, atol)


def _power(a: float, b: float) -> float:
    power: float = a**b
    return power


def cases() -> Iterator[ConformanceCase]:
    """Exponents, broadcasting, scale and shift, every dtype, exponents of another dtype, special values."""
    rng = np.random.default_rng(110)
    for name, left, right in SHAPE_PAIRS:
        x = np.asarray(rng.uniform(0.2, 3, size=left)).astype(np.float32)
        exponent = np.asarray(rng.uniform(-2, 3, size=right)).astype(np.float32)
        yield _case(name, x, exponent)
    x = rng.uniform(-2, 2, size=(2, 3, 3, 7)).astype(np.float32)
    for whole in (0, 1, 2, 3, -1, -2):
        yield _case(f"exponent_{whole}", x, np.array(whole, dtype=np.float32))
    yield _case("exponent_one_half", np.abs(x), np.array(0.5, dtype=np.float32))
    for name, scale, shift in [("scale", 0.5, 0.0), ("shift", 1.0, 3.0), ("scale_and_shift", -0.5, 2.0)]:
        yield _case(name, x, np.array([2.0], dtype=np.float32), scale, shift)
        yield _case(f"{name}_broadcast", np.abs(x), np.array([2, 0, 1, 3, 2, 1, 2], dtype=np.float32), scale, shift)
    for dtype in ("float16", "float64"):
        yield _case(dtype, np.abs(x[0]).astype(dtype), np.array(1.5, dtype=dtype), 0.5, 0.25)
    for dtype in ("int32", "int64", "float64", "float16"):
        yield _case(f"exponent_of_{dtype}", x, np.array([2], dtype=dtype))
    for dtype in INTEGERS:
        info = np.iinfo(dtype)
        a = rng.integers(info.min, info.max, size=(3, 4), dtype=dtype, endpoint=True)
        b = np.array([0, 1, 2, 5], dtype=dtype)
        yield exact_case(f"{dtype}_wraps", "PowFusion", (a, b), _power)
    yield exact_case(
        "int8_to_an_int32", "PowFusion", (np.array([-1, 1, 3], np.int8), np.array([301], np.int32)), _power
    )
    x = rng.uniform(0.2, 3, size=(2, 3)).astype(np.float32)
    e = np.array([1.5, 2.5, -0.5], dtype=np.float32)
    yield ConformanceCase("exponent_not_constant", "PowFusion", (x, e), (loop(_power, x, e),), rtol=2e-6)
    base = [0.0, NAN, NAN, 1.0, -8.0, INF, 0.0, -INF, 2.0, 0.5, -INF]
    exponents = [0.0, 0.0, 1.0, NAN, 0.5, -1.0, -2.0, 3.0, INF, INF, 2.0]
    power = [1.0, 1.0, NAN, 1.0, NAN, 0.0, INF, -INF, INF, 0.0, INF]
    yield from special_cases("PowFusion", [base, exponents], power)
