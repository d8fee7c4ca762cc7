"""Requantization of whole sums in few passes of float64, with the integers that fixed-point arithmetic gives.

``scale`` of the reference kernels rounds a product ``r = x * F / 2**(31 + s)`` twice: at bit 31, half up, and at the
shift ``s``, half away from zero or half up. With ``e = 2**-(s + 1)`` the two roundings are one: ``floor(r + 1/2 + e)``
for ``x >= 0``, and ``-floor(-r + 1/2 + e)`` for ``x < 0`` where halves go away from zero, but there a sum that is whole
counts as one below: ``2**-31`` added to ``x`` has that effect, and no other. Without a shift it is ``floor(r + 1/2)``.
All of it is exact in float64 as long as ``x * F`` is below 2**53, so below 2**22 for ``x``, and a shift of at
most 12 leaves room for results of 10 bits. Larger ``x`` give results beyond the range of 8 bits, in this way too:
products and sums of float64 grow with ``x``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._fixed_point import AWAY_FROM_ZERO, UP, fixed_point
from lite_delegate_kernels._quantization import NodeQuantization
from lite_delegate_kernels._quantized_activation import clamp_fused

from ._row_blocks import Row, row_of

MOST_SHIFT = 12
MOST_EXACT = 1 << 22
"""The bounds of shifts and of whole numbers, see above."""
BELOW_HALF = 2.0**-31
"""Added to a whole number, see above: less than a step of ``r``, and more than an error of float64."""
SIGN = np.int64(-(1 << 63))
"""The bit of a number of float64 that is its sign."""
SHORT = 1 << 15
"""Beyond the numbers of int16."""


@dataclass(frozen=True, slots=True)
class Clamp:
    """Real numbers to integers of 8 bits: without their fractions, counted from the least result, and clamped.

    Attributes:
        low: the least result.
        most: the greatest result, from 0 on.
        start: the result of 0, from 0 on. Without a start, what is between -1 and 0 becomes 0 with a floor, too.
        is_short: whether int16 holds all results before they are clamped.
    """

    low: int
    most: int
    start: int
    is_short: bool

    def __call__(self, x: Array, results: Array) -> None:
        """Writes results of ``x`` into a contiguous array, and may write over ``x``."""
        target = results.view(np.uint8)
        if self.is_short:
            short = x.astype(np.int16, order="C")
            if self.start:
                np.add(short, np.int16(self.start), out=short)
            row_of(0, short.dtype).apply(np.maximum, short.reshape(-1, 1))
            row_of(self.most, short.dtype).apply(np.minimum, short.reshape(-1, 1))
            np.copyto(target, short, casting="unsafe")
        else:
            np.add(np.trunc(x, out=x), self.start, out=x)
            np.clip(x, 0, self.most, out=x)
            np.copyto(target, x, casting="unsafe")
        if self.low:
            np.add(target, np.uint8(self.low & 0xFF), out=target)


class BlockRequantization:
    """Whole sums, a bias and a factor for each channel, to integers of 8 bits, in passes of float64 over a block: a
    ``Finish``. It is ``floor((x + bias) * factor + offset)``, or ``trunc(r + copysign(half, r))`` with
    ``r = (x + bias) * factor``.

    Args:
        factor: ``(C,)``, float64, exact.
        bias: ``(C,)``, float64; None: it is part of ``offset``.
        offset: ``(C,)``, what is added, so that the least result is 0; None where there is ``half``.
        half: ``(C,)``, what is added with the sign of the product; None where there is ``offset``.
        clamp: makes the result.
    """

    def __init__(
        self, factor: Array, bias: Array | None, offset: Array | None, half: Array | None, clamp: Clamp
    ) -> None:
        self._factor, self._clamp = Row(factor), clamp
        self._bias = None if bias is None else Row(bias)
        self._offset = None if offset is None else Row(offset)
        self._half = None if half is None else Row(half.view(np.int64))

    def __call__(self, sums: Array, results: Array) -> None:
        """As ``Finish``."""
        x = sums.astype(np.float64)
        if self._bias is not None:
            self._bias.apply(np.add, x)
        self._factor.apply(np.multiply, x)
        if self._offset is not None:
            self._offset.apply(np.add, x)
        if self._half is not None:
            signed = np.bitwise_and(x.view(np.int64), SIGN)
            self._half.apply(np.bitwise_or, signed)
            np.add(x, signed.view(np.float64), out=x)
        self._clamp(x, results)


def limits_of(attributes: Mapping[str, Any], dtype: np.dtype[Any]) -> tuple[int, int]:
    """The least and the greatest integer that a node's fused activation and the dtype of its result leave."""
    quantization: NodeQuantization = attributes["quantization"]
    ends = np.array([-(1 << 40), 1 << 40])
    activation = attributes.get("activation_type", "NO_ACTIVATION")
    low, high = clamp_fused(ends, activation, *quantization.output_per_tensor(0), dtype).tolist()
    return low, high


def requantization(
    factors: Sequence[float],
    biases: Array,
    largest_sums: Array,
    limits: tuple[int, int],
    zero_point: int,
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
    start = zero_point - low
    furthest = (largest + np.abs(biases)) * factor + abs(start) + 2
    clamp = partial(Clamp, low, high - low, is_short=bool(furthest.max(initial=0) < SHORT))
    if round_type == AWAY_FROM_ZERO and start > 0 and second.any():
        return BlockRequantization(factor, biases + BELOW_HALF, None, 0.5 + second, clamp(start=start))
    folds_bias = max(largest.max(initial=0), np.abs(biases).max(initial=0)) < MOST_EXACT
    offset = 0.5 + start + second + (biases * factor if folds_bias else 0)
    return BlockRequantization(factor, None if folds_bias else biases, offset, None, clamp(start=0))
