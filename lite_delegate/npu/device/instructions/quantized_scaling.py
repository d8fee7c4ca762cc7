"""From 32-bit sums to 8-bit integers: a factor in fixed point, two stated roundings, a zero point, bounds.

A real factor is ``multiplier / 2**31 * 2**shift`` with a multiplier of 31 bits. A sum is shifted left where the shift
is positive, multiplied, rounded half up at bit 31, and shifted right where the shift is negative, which rounds once
more. Files of quantized models assume this format, and the three ways of the second rounding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array
from ..programs.program import ElementType

FRACTION_BITS = 31
SMALLEST_SHIFT = -31
"""Factors with a smaller shift, below 2**-32, count as 0."""
LOWEST_SUM, HIGHEST_SUM = -(2**31), 2**31 - 1


class ResultRounding(StrEnum):
    """Of the second rounding: to the nearest whole number, halves away from zero or up; or down always."""

    HALF_AWAY = "half_away"
    HALF_UP = "half_up"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class FixedPoint:
    """Factors ``multipliers / 2**31 * 2**shifts``: one for all elements, or one per channel."""

    multipliers: tuple[int, ...]
    shifts: tuple[int, ...]
    rounding: ResultRounding = ResultRounding.HALF_AWAY

    def scaled(self, sums: Array, axis: int) -> Array:
        """``sums`` (int64, in the range of int32) times the factors, whole numbers, int64.

        Args:
            axis: the axis of the channels, negative: counted from the end; used only with several factors.
        """
        multipliers, shifts = _along(self.multipliers, axis), _along(self.shifts, axis)
        product = sums
        if max(self.shifts) > 0:
            product = saturated(np.left_shift(product, np.clip(shifts, 0, FRACTION_BITS)))
        product = product * multipliers
        product += 1 << (FRACTION_BITS - 1)
        product >>= FRACTION_BITS
        return product if min(self.shifts) >= 0 else self._shifted(product, np.maximum(-shifts, 0))

    def _shifted(self, product: Array, bits: Array) -> Array:
        if self.rounding is ResultRounding.DOWN:
            return np.asarray(product >> bits)
        half = np.left_shift(np.int64(1), bits) >> 1
        if self.rounding is ResultRounding.HALF_AWAY:
            product -= (product < 0) & (bits > 0)
        product += half
        product >>= bits
        return product


def fixed_point(
    factors: Sequence[float], rounding: ResultRounding = ResultRounding.HALF_AWAY, *, single_precision: bool = False
) -> FixedPoint:
    """Real factors, none negative, in fixed point.

    Args:
        factors: one, or one per channel.
        rounding: of the second rounding.
        single_precision: the factors are rounded to float32 first.
    """
    pairs = [_pair(float(np.float32(f)) if single_precision else f) for f in factors]
    return FixedPoint(tuple(m for m, _ in pairs), tuple(s for _, s in pairs), rounding)


def _pair(factor: float) -> tuple[int, int]:
    mantissa, shift = math.frexp(factor)
    multiplier = math.floor(mantissa * 2.0**FRACTION_BITS + 0.5)
    if multiplier == 1 << FRACTION_BITS:
        multiplier, shift = multiplier >> 1, shift + 1
    return (0, 0) if shift < SMALLEST_SHIFT else (multiplier, shift)


@dataclass(frozen=True, slots=True)
class Requantization:
    """From a sum to an integer: ``clamp(sum * factor + zero_point, low, high)`` as an 8-bit integer.

    Attributes:
        factor: the factor from the scale of the sum to the scale of the result.
        zero_point: the zero point of the result.
        low: the lowest result; a fused activation is in the bounds.
        high: the highest result.
        element: the element type of the result, INT8 or UINT8.
    """

    factor: FixedPoint
    zero_point: int
    low: int
    high: int
    element: ElementType

    @property
    def each(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The attributes that have one value, or one value per channel."""
        return self.factor.multipliers, self.factor.shifts

    def applied(self, sums: Array, axis: int) -> Array:
        """The stored integers for ``sums``, whole numbers in int64 that are saturated to 32 bits first.

        Args:
            axis: of the channels, negative.
        """
        scaled = self.factor.scaled(saturated(sums), axis) + self.zero_point
        return np.asarray(np.clip(scaled, self.low, self.high)).astype(self.element.numpy)


def saturated(sums: Array) -> Array:
    """Whole numbers as 32-bit accumulators keep them: clamped to the range."""
    return np.asarray(np.clip(sums, LOWEST_SUM, HIGHEST_SUM))


def _along(values: tuple[int, ...], axis: int) -> Array:
    """The values as int64 that broadcast along ``axis``, which is negative; a scalar for a single value."""
    array = np.array(values, np.int64)
    return array[0] if array.size == 1 else array.reshape(-1, *(1,) * (-1 - axis))


def half_away(values: Array) -> Array:
    """Real numbers (float64) rounded to the nearest whole number, halves away from zero."""
    whole = np.trunc(values)
    return np.asarray(whole + np.trunc((values - whole) * 2.0))
