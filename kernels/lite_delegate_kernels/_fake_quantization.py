"""Fake quantization: floats moved to the grid that an unsigned integer type of some width can stand for."""

from __future__ import annotations

import numpy as np

from ._dtypes import FLOATS, check_dtype
from ._kernel import Array, ArraySpec, KernelInputError

_FEWEST_BITS, _MOST_BITS = 2, 16


def fake_quantize(x: Array, low: Array, high: Array, num_bits: int, narrow_range: bool) -> Array:
    """``x`` clamped to the nudged range and rounded to the nearest of its ``2 ** num_bits`` levels, halves upwards.

    The range ``[low, high]`` is moved so that 0 is one of the levels, which are ``(high - low) / (levels - 1)`` apart;
    ``narrow_range`` leaves the lowest level out. The formulas are those of TensorFlow's ``FakeQuantWithMinMaxVars``.
    A range of ``[0, 0]`` gives 0.

    Args:
        x: rank >= 1, float32 or float64.
        low: any float dtype, rank 0, or one number per element of the last dim of ``x``.
        high: any float dtype, the shape of ``low``.
        num_bits: 2 to 16.
        narrow_range: whether the levels start at 1 instead of 0.

    Raises:
        KernelInputError: as ``check_range``.
    """
    check_range(low, high)
    low, high = low.astype(x.dtype, copy=False), high.astype(x.dtype, copy=False)
    last = (1 << num_bits) - 1
    first = 1 if narrow_range else 0
    step = (high - low) / x.dtype.type(last - first)
    empty = step == 0
    step = np.where(empty, x.dtype.type(1), step)
    zero = np.floor(np.clip(first - low / step, first, last) + 0.5)
    nudged_low, nudged_high = (first - zero) * step, (last - zero) * step
    y: Array = np.clip(x, nudged_low, nudged_high) - nudged_low
    y /= step
    y += first - zero + 0.5
    np.floor(y, out=y)
    y *= np.where(empty, x.dtype.type(0), step)
    return y


def check_attributes(x: ArraySpec, low: ArraySpec, high: ArraySpec, num_bits: int) -> None:
    """Raises KernelInputError for dtypes that are not float and a number of bits that is not in 2..16."""
    for name, spec in (("input 0", x), ("min", low), ("max", high)):
        check_dtype(spec, FLOATS, name)
    if not _FEWEST_BITS <= num_bits <= _MOST_BITS:
        raise KernelInputError(f"num_bits must be in {_FEWEST_BITS}..{_MOST_BITS}, got {num_bits}")
    if low.value is not None and high.value is not None:
        check_range(low.value, high.value)


def check_range(low: Array, high: Array) -> None:
    """Raises KernelInputError unless every ``low`` is below its ``high``, or both are 0.

    NOTE: TensorFlow checks this where the range is an attribute, and divides by zero where it is an input.
    """
    wrong = ~((low < high) | ((low == 0) & (high == 0)))
    if wrong.any():
        place = np.unravel_index(int(np.argmax(wrong)), np.shape(wrong))
        raise KernelInputError(f"min must be below max, or both be 0, got min {low[place]} and max {high[place]}")
