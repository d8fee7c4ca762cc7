"""Conformance cases of ai.onnx.Cast to types that numpy lacks, expected values by looking through all their numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import exact

OP = "ai.onnx.Cast"
NAN, INF = math.nan, math.inf
FLOATS = {
    "float8e4m3fn": (17, 4, 3, 7, 448.0),
    "float8e4m3fnuz": (18, 4, 3, 8, 240.0),
    "float8e5m2": (19, 5, 2, 15, 57344.0),
    "float8e5m2fnuz": (20, 5, 2, 16, 57344.0),
    "float4e2m1": (23, 2, 1, 1, 6.0),
}
"""By type: ONNX's number, bits of exponent and of mantissa, bias, largest finite number."""
BEYOND: dict[str, tuple[float, float]] = {
    "float8e4m3fn": (NAN, NAN),
    "float8e4m3fnuz": (NAN, NAN),
    "float8e5m2": (INF, -INF),
    "float8e5m2fnuz": (NAN, NAN),
}
"""What becomes of numbers that are too large or too small and do not saturate."""
INTEGERS = {"uint4": (21, 4, False), "int4": (22, 4, True), "uint2": (25, 2, False), "int2": (26, 2, True)}


def cases() -> Iterator[ConformanceCase]:
    """Every type: numbers of all sizes, ties, what lies beyond the largest, shapes, other types than float32."""
    rng = np.random.default_rng(404)
    for name, (number, *_, largest) in FLOATS.items():
        sizes = rng.normal(size=(4, 25)) * np.exp2(rng.integers(-12, 8, (4, 25)))
        x = np.clip(sizes, -largest, largest).astype(np.float32)
        yield exact(OP, name, (x,), (_nearest(x, name),), {"to": number})
        numbers = _numbers(name)
        ties = np.array([(a + b) / 2 for a, b in pairwise(numbers)], np.float32)
        yield exact(OP, f"{name}_ties", (ties,), (_nearest(ties, name),), {"to": number})
        beyond, ends = np.array([1e6, -1e6], np.float32), np.array([largest, -largest], np.float32)
        yield exact(OP, f"{name}_saturates", (beyond,), (ends,), {"to": number}, source="hand")
    for name, unbounded in BEYOND.items():
        operands, outputs = (np.array([1e6, -1e6], np.float32),), (np.array(unbounded, np.float32),)
        yield exact(OP, f"{name}_beyond", operands, outputs, {"to": FLOATS[name][0], "saturate": 0}, source="hand")
    for name, (number, bits, signed) in INTEGERS.items():
        for dtype in ("float32", "int32", "int64"):
            x = rng.uniform(-20, 20, (3, 9)).astype(dtype)
            found = [_low_bits(math.trunc(v), bits, signed) for v in x.reshape(-1).tolist()]
            y = np.array(found, np.int8 if signed else np.uint8).reshape(x.shape)
            yield exact(OP, f"{name}_from_{dtype}", (x,), (y,), {"to": number})
    yield from _bfloat16_cases(rng)
    yield from _power_cases()


def _bfloat16_cases(rng: np.random.Generator) -> Iterator[ConformanceCase]:
    for name, shape in (("rank_0", ()), ("rank_3", (2, 3, 5)), ("empty", (0, 2))):
        x = np.asarray(rng.normal(size=shape), np.float32)
        found = [_eight_bits(v) for v in x.reshape(-1).tolist()]
        yield exact(OP, f"bfloat16_{name}", (x,), (np.array(found, np.float32).reshape(shape),), {"to": 16})
    # 1 + 1/256 lies in the middle of 1 and 1 + 1/128, 1 + 3/256 in that of 1 + 1/128 and 1 + 2/128.
    x = np.array([1 + 1 / 256, 1 + 3 / 256, -1 - 1 / 256, INF, NAN, -0.0], np.float32)
    y = np.array([1.0, 1 + 2 / 128, -1.0, INF, NAN, -0.0], np.float32)
    yield exact(OP, "bfloat16_ties_and_special_values", (x,), (y,), {"to": 16}, source="hand")


def _power_cases() -> Iterator[ConformanceCase]:
    """Powers of two alone, without a sign."""
    x = np.array([1.0, 3.0, 2.9, 5.0, 0.3, 4.0], np.float32)
    rounded = {
        "up": [1.0, 4.0, 4.0, 8.0, 0.5, 4.0],
        "down": [1.0, 2.0, 2.0, 4.0, 0.25, 4.0],
        "nearest": [1.0, 4.0, 2.0, 4.0, 0.25, 4.0],
    }
    for mode, values in rounded.items():
        y = np.array(values, np.float32)
        yield exact(OP, f"float8e8m0_{mode}", (x,), (y,), {"to": 24, "round_mode": mode}, source="hand")


def _numbers(name: str) -> list[float]:
    """All finite numbers of a type that are not negative, by their codes."""
    _, exponents, mantissas, bias, largest = FLOATS[name]
    found = []
    for exponent in range(1 << exponents):
        for mantissa in range(1 << mantissas):
            fraction = mantissa / (1 << mantissas) + (exponent > 0)
            found.append(math.ldexp(fraction, max(exponent, 1) - bias))
    return [v for v in found if v <= largest]


def _nearest(x: Array, name: str) -> Array:
    numbers, has_negative_zero = _numbers(name), not name.endswith("uz")
    found: list[float] = []
    for v in x.reshape(-1).tolist():
        code = min(range(len(numbers)), key=lambda i: (abs(numbers[i] - abs(v)), i % 2))
        size = numbers[code]
        found.append(math.copysign(size, v) if size or has_negative_zero else 0.0)
    return np.array(found, np.float32).reshape(x.shape)


def _low_bits(value: int, bits: int, signed: bool) -> int:
    low = value % (1 << bits)
    return low - (1 << bits) if signed and low >= 1 << (bits - 1) else low


def _eight_bits(value: float) -> Any:
    """The nearest number with 8 bits of mantissa, the even one of two that are equally near."""
    fraction, exponent = math.frexp(value)
    return math.ldexp(round(fraction * 256), exponent - 8)
