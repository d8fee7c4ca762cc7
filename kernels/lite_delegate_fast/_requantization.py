"""Requantization of whole sums in few passes of float64, with the integers that fixed-point arithmetic gives.

``scale`` of the reference kernels rounds a product ``r = x * F / 2**(31 + s)`` twice: at bit 31, half up, and at the
shift ``s``, half away from zero or half up. With ``e = 2**-(s + 1)`` the two roundings are one: ``floor(r + 1/2 + e)``
for ``x >= 0``, and ``floor(r + 1/2 - e)`` for ``x < 0`` where halves go away from zero; ``floor(r + 1/2)`` without a
shift. All of it is exact in float64 as long as ``x * F`` is below 2**53, so below 2**22 for ``x``, and a shift of at
most 12 leaves room for results of 10 bits. Larger ``x`` give results beyond the range of 8 bits, in this way too:
products and sums of float64 grow with ``x``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._fixed_point import AWAY_FROM_ZERO, UP, fixed_point

BLOCK = 1 << 14
"""The elements that are converted at a time: 128 KiB of float64 stay in a core's second-level cache."""
MOST_SHIFT = 12
MOST_EXACT = 1 << 22
"""The bounds of shifts and of whole numbers, see above."""
SHORT = 1 << 15
"""Beyond the numbers of int16."""


@dataclass(frozen=True, slots=True, eq=False)
class BlockRequantization:
    """Whole sums, a bias and a factor for each channel, to integers of 8 bits.

    Attributes:
        factor: ``(C,)``, float64, exact.
        bias: ``(C,)``, whole numbers of float64; None: it is part of ``offset``.
        nudge: ``(C,)``, what is added with the sign of the product, and no product but 0 is smaller; None: nothing.
        offset: ``(C,)``, what is added, so that the least result is 0.
        most: the greatest result, from 0 on.
        is_short: whether int16 holds all results before they are clamped.
        low: the least result.
        dtype: of the results.
    """

    factor: Array
    bias: Array | None
    nudge: Array | None
    offset: Array
    most: int
    is_short: bool
    low: int
    dtype: np.dtype[np.generic]

    def __call__(self, sums: Array) -> Array:
        """The integers ``(R, C)`` of sums ``(R, C)``, float32 or float64, contiguous."""
        rows, channels = sums.shape
        step = max(1, min(rows, BLOCK // max(1, channels)))
        out = np.empty(sums.shape, np.uint8)
        factor, offset = _rows(self.factor, step), _rows(self.offset, step)
        bias = None if self.bias is None else _rows(self.bias, step)
        nudges = None if self.nudge is None else (_rows(-self.nudge, step), _rows(self.nudge, step))
        short = np.empty((step, channels), np.int16)
        block, signs = np.empty((step, channels)), np.empty(0 if nudges is None else (step, channels))
        for first in range(0, rows, step):
            part = sums[first : first + step]
            count = len(part)
            x = block[:count]
            np.copyto(x, part)
            if bias is not None:
                np.add(x, bias[:count], out=x)
            np.multiply(x, factor[:count], out=x)
            if nudges is not None:
                np.clip(x, nudges[0][:count], nudges[1][:count], out=signs[:count])  # 0, or the nudge with a sign
                np.add(x, signs[:count], out=x)
            np.add(x, offset[:count], out=x)
            self._clamp(x, short[:count], out[first : first + step])
        if self.low:
            np.add(out, np.uint8(self.low & 0xFF), out=out)
        return out.view(self.dtype)

    def _clamp(self, x: Array, short: Array, out: Array) -> None:
        """Cuts the fractions off, and clamps: what is between -1 and 0 becomes 0 in either order."""
        if self.is_short:
            np.copyto(short, x, casting="unsafe")
            np.clip(short, np.int16(0), np.int16(self.most), out=short)
            np.copyto(out, short, casting="unsafe")
            return
        np.clip(x, 0.0, self.most + 0.5, out=x)
        np.copyto(out, x, casting="unsafe")


def _rows(vector: Array, count: int) -> Array:
    return np.ascontiguousarray(np.broadcast_to(vector, (count, len(vector))))


def requantization(
    factors: Sequence[float],
    biases: Array,
    largest_sums: Array,
    limits: tuple[int, int],
    zero_point: int,
    dtype: np.dtype[np.generic],
    round_type: int,
    *,
    in_single_precision: bool,
) -> BlockRequantization | None:
    """The requantization of a kernel with weights; None where float64 is not sure to give the reference's integers.

    Args:
        factors: real numbers, one or one for each channel.
        biases: ``(C,)``, whole numbers.
        largest_sums: ``(C,)``, what no sum without its bias exceeds.
        limits: the least and the greatest integer of a result.
        zero_point: of a result.
        dtype: of a result, int8 or uint8.
        round_type: of the second rounding, see ``scale``.
        in_single_precision: whether factors are rounded to float32 first.
    """
    fixed = fixed_point(tuple(factors), in_single_precision)
    channels = len(biases)
    shift = np.broadcast_to(-fixed.shift, (channels,))
    if round_type not in (AWAY_FROM_ZERO, UP) or shift.min() < 0 or shift.max() > MOST_SHIFT:
        return None
    largest, biases = np.asarray(largest_sums, np.float64), biases.astype(np.float64)
    if max(largest.max(initial=0), np.abs(biases).max(initial=0)) >= 1 << 30:  # scale ends at 32 bits
        return None
    factor = np.broadcast_to(fixed.fraction, (channels,)) * np.ldexp(1.0, -(31 + shift))
    low, high = limits
    second = np.where(shift > 0, np.ldexp(0.5, -shift), 0.0)
    offset = np.full(channels, 0.5 + zero_point - low)
    has_signs = round_type == AWAY_FROM_ZERO and low < zero_point and bool(second.any())
    if not has_signs:
        offset += second
    folds_bias = not has_signs and max(largest.max(initial=0), np.abs(biases).max(initial=0)) < MOST_EXACT
    if folds_bias:
        offset += biases * factor
    added = None if folds_bias or not biases.any() else biases
    furthest = (largest + np.abs(biases)) * factor + np.abs(offset) + 1
    return BlockRequantization(
        factor=factor,
        bias=added,
        nudge=second if has_signs else None,
        offset=offset,
        most=high - low,
        is_short=bool(furthest.max(initial=0) < SHORT),
        low=low,
        dtype=dtype,
    )
