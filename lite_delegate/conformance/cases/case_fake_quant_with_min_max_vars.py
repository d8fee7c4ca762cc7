"""Conformance cases of FakeQuantWithMinMaxVars, expected values from the three rules of TensorFlow's documentation.

``scalar_fake_quant`` and the ranges serve the operator with a range per channel too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .families.elementwise import FLOATS
from .loops.scalars import loop

NAN, INF = float("nan"), float("inf")
RANGES = [
    ("zero_is_a_level", -10.0, 53.75),
    ("zero_is_nudged", -1.03, 2.71),
    ("all_above_zero", 0.6, 4.1),
    ("all_below_zero", -7.3, -0.4),
    ("from_zero", 0.0, 6.0),
    ("to_zero", -6.0, 0.0),
    ("tiny", -1e-3, 2e-3),
]


def scalar_fake_quant(x: float, low: float, high: float, num_bits: int = 8, narrow_range: bool = False) -> float:
    """One number by the documented rules.

    1. 0 < min < max: the range becomes [0, max - min].
    2. min < max < 0: it becomes [min - max, 0].
    3. Otherwise it is moved by less than a step, so that 0 is a level.
    """
    if math.isnan(x):
        return x
    step = (high - low) / ((1 << num_bits) - (2 if narrow_range else 1))
    if low > 0:
        start = 0.0
    elif high < 0:
        start = low - high
    else:
        start = step * math.floor(low / step + 0.5)
    clamped = min(max(x, start), start + (high - low))
    return start + step * math.floor((clamped - start) / step + 0.5)


def _case(name: str, x: Array, low: float, high: float, **attributes: Any) -> ConformanceCase:
    y = loop(lambda v: scalar_fake_quant(v, low, high, **attributes), x)
    bounds = [np.array(b, dtype=np.float32) for b in (low, high)]
    inputs = (x, *bounds)
    rtol = 1e-3 if x.dtype == np.float16 else 1e-5
    keywords = {"num_bits": 8, **attributes}
    return ConformanceCase(name, "FakeQuantWithMinMaxVars", inputs, (y,), keywords, frozenset({1, 2}), rtol)


def _written_down() -> Iterator[ConformanceCase]:
    """A step of 1: the levels are the whole numbers, halves go up."""
    x = np.array([-INF, -1.0, 0.0, 0.4, 0.5, 1.5, 2.5, 254.5, 255.0, 300.0, INF, NAN], dtype=np.float32)
    y = np.array([0, 0, 0, 0, 1, 2, 3, 255, 255, 255, 255, NAN], dtype=np.float32)
    narrow = np.array([0, 0, 0, 0, 1, 2, 3, 254, 254, 254, 254, NAN], dtype=np.float32)
    for name, top, is_narrow, expected in (("whole_levels", 255, False, y), ("narrow_levels", 254, True, narrow)):
        for dtype in FLOATS:
            bounds = (np.array(0, dtype=dtype), np.array(top, dtype=dtype))
            yield ConformanceCase(
                f"{name}_{dtype}",
                "FakeQuantWithMinMaxVars",
                (x.astype(dtype), *bounds),
                (expected.astype(dtype),),
                {"num_bits": 8, "narrow_range": is_narrow},
                rtol=0,
                atol=0,
                source="hand",
            )
    zeros = (np.array(0, dtype=np.float32), np.array(0, dtype=np.float32))
    x = np.array([-1.0, 0.0, 2.5], dtype=np.float32)
    y = np.array([0, 0, 0], dtype=np.float32)
    attributes = {"num_bits": 8}
    yield ConformanceCase(
        "a_range_of_nothing", "FakeQuantWithMinMaxVars", (x, *zeros), (y,), attributes, rtol=0, atol=0, source="hand"
    )


def cases() -> Iterator[ConformanceCase]:
    """Ranges on both sides of zero, widths of 2 to 16 bits, narrow ranges, dtypes, shapes, forms of the bounds."""
    rng = np.random.default_rng(57)
    for name, low, high in RANGES:
        for narrow in (False, True):
            x = rng.uniform(2 * low - high, 2 * high - low, size=(3, 17)).astype(np.float32)
            yield _case(f"{name}_narrow_{narrow}", x, low, high, narrow_range=narrow)
    for bits in (2, 3, 4, 7, 12, 16):
        x = rng.uniform(-2, 3, size=(2, 3, 4)).astype(np.float32)
        yield _case(f"bits_{bits}", x, -1.25, 2.5, num_bits=bits)
    for name, shape in [("rank_0", ()), ("rank_1", (5,)), ("rank_4", (2, 2, 3, 3)), ("empty", (2, 0))]:
        x = np.asarray(rng.uniform(-2, 3, size=shape)).astype(np.float32)
        yield _case(name, x, -1.25, 2.5)
    for dtype in ("float16", "float64"):
        yield _case(dtype, rng.uniform(-2, 3, size=(3, 5)).astype(dtype), -1.25, 2.5)
    yield from _written_down()
    x = rng.uniform(-2, 3, size=(4, 3)).astype(np.float32)
    bounds = (np.array([-1.25], dtype=np.float32), np.array([2.5], dtype=np.float32))
    y = loop(lambda v: scalar_fake_quant(v, -1.25, 2.5), x)
    inputs = (x, *bounds)
    yield ConformanceCase("bounds_not_constant", "FakeQuantWithMinMaxVars", inputs, (y,), {"num_bits": 8})
