"""Scaling integers by real factors with integer arithmetic alone.

The factor is a fixed-point number: 31 bits of fraction and a shift. Products are rounded twice, at bit 31 and at
the shift, as in the gemmlowp library, whose results TensorFlow Lite and MindSpore Lite reproduce.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ._kernel import Array

FRACTION_BITS = 31
AWAY_FROM_ZERO, UP = 1, 2
SHORT_FRACTION = (1 << 15) - 1
"""The largest fraction of a factor of 15 bits."""
SMALLEST_SHIFT = -31
"""Factors below 2**-32 count as 0."""
_LOWEST, _HIGHEST = -(1 << 31), (1 << 31) - 1


@dataclass(frozen=True, slots=True, eq=False)
class FixedPointFactors:
    """Factors ``fraction / 2**31 * 2**shift``, as arrays of one shape."""

    fraction: Array
    shift: Array


@lru_cache(maxsize=1024)
def fixed_point(factors: tuple[float, ...], in_single_precision: bool = False) -> FixedPointFactors:
    """Real factors, none negative, as fixed-point numbers; one factor gives arrays of rank 0."""
    real = np.array(factors if len(factors) > 1 else factors[0], np.float64)
    if in_single_precision:
        real = real.astype(np.float32).astype(np.float64)
    mantissa, exponent = np.frexp(real)
    fraction = np.floor(mantissa * 2.0**FRACTION_BITS + 0.5).astype(np.int64)
    carried = fraction == 1 << FRACTION_BITS
    fraction, shift = np.where(carried, fraction >> 1, fraction), exponent.astype(np.int64) + carried
    is_zero = shift < SMALLEST_SHIFT
    return FixedPointFactors(np.where(is_zero, 0, fraction), np.where(is_zero, 0, shift))


def scale(x: Array, factor: FixedPointFactors, round_type: int = AWAY_FROM_ZERO) -> Array:
    """``x * factor``, rounded to whole numbers.

    Args:
        x: int64. What leaves the range of int32, before the factor or in a shift to the left, ends at its limit.
        factor: broadcast against the last dimensions of ``x``.
        round_type: of the second rounding: 1 half away from zero, 2 half up, any other down.

    NOTE: MindSpore Lite names these three; what it does for the other two was not seen in a file.
    """
    right = np.maximum(-factor.shift, 0)
    high = (_shift_left(x, factor.shift) * factor.fraction + (1 << (FRACTION_BITS - 1))) >> FRACTION_BITS
    return _shift_right(high, right, round_type)


def scale_once(x: Array, factor: FixedPointFactors) -> Array:
    """``x * factor``, rounded once to whole numbers, halves up; as ``scale`` otherwise. ``x`` is below 2**32."""
    return _shift_right(x * factor.fraction, FRACTION_BITS - factor.shift, UP)


def scale_long(x: Array, factor: FixedPointFactors) -> Array:
    """As ``scale_once``, by a factor of 15 bits of fraction: TensorFlow Lite's product for sums of 64 bits."""
    fraction = np.minimum((factor.fraction + (1 << 15)) >> 16, SHORT_FRACTION)
    return _shift_right(x * fraction, 15 - factor.shift, UP)


def _shift_left(x: Array, shift: Array) -> Array:
    inside: Array = np.clip(x, _LOWEST, _HIGHEST)
    if shift.max(initial=0) <= 0:
        return inside
    shifted: Array = np.clip(np.left_shift(inside, np.clip(shift, 0, FRACTION_BITS)), _LOWEST, _HIGHEST)
    return shifted


def _shift_right(x: Array, bits: Array, round_type: int) -> Array:
    if round_type not in (AWAY_FROM_ZERO, UP):
        return np.asarray(x >> bits)
    half = np.left_shift(np.int64(1), bits) >> 1
    if round_type == AWAY_FROM_ZERO:
        half = half - ((x < 0) & (bits > 0))
    return np.asarray((x + half) >> bits)
