"""Expected values of quantized nodes in Python's own whole numbers and fractions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from lite_delegate_kernels import NodeQuantization, Quantization

from ...judging.case import Array, ConformanceCase

Params = tuple[float, int]
"""Scale and zero point."""


def quantization(*params: Params) -> Quantization:
    """One scale and zero point, or one of each per channel."""
    return Quantization(tuple(s for s, _ in params), tuple(z for _, z in params))


def half_away(value: Fraction | float) -> int:
    """Rounded to the nearest whole number, halves away from zero."""
    numerator, denominator = value.as_integer_ratio()
    magnitude = (2 * abs(numerator) + denominator) // (2 * denominator)
    return magnitude if value >= 0 else -magnitude


def half_up(value: Fraction) -> int:
    """Rounded to the nearest whole number, halves up."""
    numerator, denominator = value.as_integer_ratio()
    return (2 * numerator + denominator) // (2 * denominator)


def times(value: int, factor: float, last: Callable[[Fraction], int] = half_away) -> int:
    """``value * factor`` as 31-bit fixed-point arithmetic has it: rounded half up at bit 31, then at the shift."""
    mantissa, shift = math.frexp(factor)
    high = half_up(Fraction(value * 2 ** max(0, shift) * half_away(mantissa * 2**31), 2**31))
    return last(Fraction(high, 2 ** max(0, -shift)))


def clamped(q: int, params: Params, activation_type: str = "NO_ACTIVATION", low: int = -128, high: int = 127) -> int:
    """``q`` within its type, and within the fused activation."""
    scale, zero_point = params
    if activation_type in ("RELU", "RELU6"):
        low = max(low, zero_point)
    if activation_type == "RELU6":
        high = min(high, half_away(6 / scale + zero_point))
    return min(max(q, low), high)


def stored(value: float, params: Params, low: int = -128, high: int = 127) -> int:
    """The integer that stands for a real number best."""
    scale, zero_point = params
    return clamped(half_away(float(value) / scale + zero_point), params, low=low, high=high)


def real(q: Array, params: Params) -> Array:
    """The real numbers that integers stand for, float32."""
    scale, zero_point = params
    out = np.empty(q.shape, np.float32)
    for index in np.ndindex(q.shape):
        out[index] = (int(q[index]) - zero_point) * scale
    return out


def stored_array(values: Array, params: Params) -> Array:
    """``stored`` of every element, int8."""
    out = np.empty(values.shape, np.int8)
    for index in np.ndindex(values.shape):
        out[index] = stored(float(values[index]), params)
    return out


def integers(rng: np.random.Generator, shape: Sequence[int], low: int = -128) -> Array:
    """int8 numbers from ``low`` to 127."""
    return np.asarray(rng.integers(low, 127, tuple(shape), endpoint=True)).astype(np.int8)


def quantized_case(
    name: str,
    op_type: str,
    inputs: Sequence[Array | None],
    outputs: Sequence[Array],
    params: Sequence[Quantization | None],
    results: Sequence[Quantization | None],
    attributes: Mapping[str, Any] | None = None,
    constants: frozenset[int] = frozenset(),
    quanta: int = 0,
) -> ConformanceCase:
    """A case of a node that runs on integers, named ``int8_...``; ``quanta``: how far integers may be off."""
    return ConformanceCase(
        f"int8_{name}",
        op_type,
        tuple(inputs),
        tuple(outputs),
        attributes or {},
        constants,
        rtol=0,
        atol=quanta,
        quantization=NodeQuantization(tuple(params), tuple(results)),
    )
