"""What instructions on quantized integers mean, as scalar loops in Python's own whole numbers and fractions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from lite_delegate.npu.device.instructions.quantized_scaling import FixedPoint, Requantization, ResultRounding
from lite_delegate.npu.device.programs.program import ElementType

Array = np.ndarray[Any, Any]
Pair = tuple[int, int]
Sums = dict[tuple[int, ...], int]
INT8 = ElementType.INT8


def half_up(value: Fraction) -> int:
    return math.floor(value + Fraction(1, 2))


def half_away(value: Fraction | float) -> int:
    size = half_up(abs(Fraction(value)))
    return size if value >= 0 else -size


ROUND: dict[ResultRounding, Callable[[Fraction], int]] = {
    ResultRounding.HALF_AWAY: half_away,
    ResultRounding.HALF_UP: half_up,
    ResultRounding.DOWN: math.floor,
}


def int32(value: int) -> int:
    return min(max(value, -(2**31)), 2**31 - 1)


def scaled(value: int, factor: FixedPoint, channel: int = 0) -> int:
    """A 32-bit number times a factor: rounded half up at bit 31, then at the shift."""
    multiplier, shift = (v[channel if len(v) > 1 else 0] for v in (factor.multipliers, factor.shifts))
    shifted = int32(value * 2 ** max(0, shift))
    high = half_up(Fraction(shifted * multiplier, 2**31))
    return ROUND[factor.rounding](Fraction(high, 2 ** max(0, -shift)))


def requantized(value: int, to: Requantization, channel: int = 0) -> int:
    return min(max(scaled(int32(value), to.factor, channel) + to.zero_point, to.low), to.high)


def stored(sums: Sums, shape: tuple[int, ...], to: Requantization, channel_axis: int) -> Array:
    """Sums by index as the stored integers."""
    y = np.zeros(shape, to.element.numpy)
    for index, value in sums.items():
        y[index] = requantized(value, to, index[channel_axis])
    return y


def convolution(
    x: Array, weight: Array, bias: Array | None, window: Any, points: tuple[int, tuple[int, ...]], group: int
) -> Sums:
    """x (N, C, H, W), weight (O, Kh, Kw, C/group): the whole sums by index (n, o, row, column)."""
    zero, weight_zeros = points
    sums: Sums = {}
    channels_out, kernel_h, kernel_w, per_group = weight.shape
    for n, o, r, s in product(range(x.shape[0]), range(channels_out), *map(range, window.output)):
        total = 0 if bias is None else int(bias[o])
        first = o // (channels_out // group) * per_group
        weight_zero = weight_zeros[o if len(weight_zeros) > 1 else 0]
        for i, j, c in product(range(kernel_h), range(kernel_w), range(per_group)):
            row = r * window.strides[0] - window.before[0] + i * window.dilations[0]
            column = s * window.strides[1] - window.before[1] + j * window.dilations[1]
            if 0 <= row < x.shape[2] and 0 <= column < x.shape[3]:
                total += (int(x[n, first + c, row, column]) - zero) * (int(weight[o, i, j, c]) - weight_zero)
        sums[n, o, r, s] = total
    return sums


def transposed(
    x: Array, weight: Array, bias: Array, window: Any, points: tuple[int, tuple[int, ...]], group: int
) -> Sums:
    """x (N, C, H, W), weight (C, Kh, Kw, O/group): the whole sums by index (n, o, row, column)."""
    (zero, weight_zeros), (_, kernel_h, kernel_w, per_group) = points, weight.shape
    channels = x.shape[1]
    outputs = product(range(x.shape[0]), range(per_group * group), *map(range, window.output))
    sums: Sums = {index: int(bias[index[1]]) for index in outputs}
    for n, c, h, w in np.ndindex(*x.shape):
        for i, j, o in product(range(kernel_h), range(kernel_w), range(per_group)):
            row = h * window.strides[0] + i * window.dilations[0] - window.before[0]
            column = w * window.strides[1] + j * window.dilations[1] - window.before[1]
            weight_zero = weight_zeros[o if len(weight_zeros) > 1 else 0]
            place = (n, c // (channels // group) * per_group + o, row, column)
            if place in sums:
                sums[place] += (int(x[n, c, h, w]) - zero) * (int(weight[c, i, j, o]) - weight_zero)
    return sums


def matmul(a: Array, b: Array, bias: Array | None, points: tuple[int, tuple[int, ...]]) -> Sums:
    """a (M, K), b (K, N): the whole sums by index."""
    zero, weight_zeros = points
    sums: Sums = {}
    for m, n in product(range(a.shape[0]), range(b.shape[1])):
        weight_zero = weight_zeros[n if len(weight_zeros) > 1 else 0]
        total = sum((int(a[m, k]) - zero) * (int(b[k, n]) - weight_zero) for k in range(a.shape[1]))
        sums[m, n] = total + (0 if bias is None else int(bias[n]))
    return sums


def windows(x: Array, window: Any) -> Iterator[tuple[tuple[int, ...], list[int]]]:
    """For each window over x (N, C, H, W) its index and the elements that lie on the input."""
    for n, c, r, s in product(*map(range, x.shape[:2]), *map(range, window.output)):
        places = [
            (
                r * window.strides[0] - window.before[0] + i * window.dilations[0],
                s * window.strides[1] - window.before[1] + j * window.dilations[1],
            )
            for i, j in product(range(window.size[0]), range(window.size[1]))
        ]
        inside = [(h, w) for h, w in places if 0 <= h < x.shape[2] and 0 <= w < x.shape[3]]
        yield (n, c, r, s), [int(x[n, c, h, w]) for h, w in inside]


def integers(shape: tuple[int, ...], seed: int, dtype: Any = np.int8) -> Array:
    """Random integers from the whole range of a type, its ends among them."""
    limits = np.iinfo(dtype)
    made = np.random.default_rng(seed).integers(limits.min, limits.max, shape, endpoint=True).astype(dtype)
    made.reshape(-1)[:2] = limits.min, limits.max
    return made
