"""Rounding to float16 without leaving float32: the simulator keeps float16 numbers in float32 arrays.

Every float16 number is a float32 number, so a float32 array can hold what device memory holds, and the next
instruction need not widen it. The rounding is then a few float32 operations, which vectorize; numpy's conversions
between the two formats go element by element and cost several times as much.

The rounding is the usual one by a large addend. Let 2**e <= |x| < 2**(e + 1). Two float16 numbers near x lie
2**(e - 10) apart, which is the spacing of float32 numbers around M = 1.5 * 2**(e + 13): M + x stays within M's binade,
so the addition rounds x to a multiple of 2**(e - 10), to nearest and ties to even, and subtracting M is exact. Below
2**-14 float16 numbers are subnormal, 2**-24 apart: the rule holds with e = -14.

The bits of a float16 number are the bits of the float32 number x * 2**-112 without its last 13 bits, because 112 is the
distance between the two formats' exponent biases; this holds for subnormal float16 numbers, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ....delegate import cancel_point

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 2**14
"""Elements at a time: they and their intermediate results stay in the first caches."""

_EXPONENT = np.uint32(0x7F800000)
_SIGN = np.uint32(0x80000000)
_ADDEND = np.float32(1.5 * 2.0**13)
_NORMAL = np.full(BLOCK, 2.0**-14, np.float32)
_LARGE = np.float32(2.0**15)
"""From here on the sum may overflow or is not a number: such a block takes numpy's way."""
_REBIAS = np.float32(2.0**-112)
_WIDE = np.arange(2**16, dtype=np.uint16).view(np.float16).astype(np.float32)
"""Every float16 number as float32, by bit pattern."""


def round_to_half(values: NDArray[np.float32]) -> None:
    """Rounds ``values`` (float32, C-contiguous) in place to float16 numbers: to nearest, ties to even.

    The numbers equal ``values.astype(float16)``, with their signs: 65520 and beyond become infinite, 2**-25 and below
    zero. NaN stays NaN.

    Raises:
        RequestCancelled: the run was cancelled; some of the numbers are rounded then.
    """
    flat = values.reshape(-1)
    addends, sums = np.empty((2, min(BLOCK, flat.size)), np.float32)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for start in range(0, flat.size, BLOCK):
            cancel_point()
            block = flat[start : start + BLOCK]
            _round_block(block, addends[: block.size], sums[: block.size])


def _round_block(block: NDArray[np.float32], addends: NDArray[np.float32], sums: NDArray[np.float32]) -> None:
    bits = block.view(np.uint32)
    np.bitwise_and(bits, _EXPONENT, out=addends.view(np.uint32))
    if addends.max() >= _LARGE:
        block[...] = block.astype(np.float16)
        return
    np.maximum(addends, _NORMAL[: block.size], out=addends)
    np.multiply(addends, _ADDEND, out=addends)
    np.add(block, addends, out=sums)
    np.subtract(sums, addends, out=sums)
    np.bitwise_and(bits, _SIGN, out=bits)
    np.bitwise_or(bits, sums.view(np.uint32), out=bits)


def to_half(values: NDArray[np.float32]) -> NDArray[np.float16]:
    """``values``, which are float16 numbers in a float32 array, as a float16 array. Nothing is rounded."""
    half = np.empty(values.shape, np.float16)
    source, target = np.ascontiguousarray(values).reshape(-1), half.reshape(-1)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for start in range(0, source.size, BLOCK):
            _convert_block(source[start : start + BLOCK], target[start : start + BLOCK])
    return half


def _convert_block(block: NDArray[np.float32], target: NDArray[np.float16]) -> None:
    if not np.isfinite(block.sum()):
        target[...] = block
        return
    bits = np.multiply(block, _REBIAS).view(np.uint32)
    signs = np.bitwise_and(bits, _SIGN)
    np.right_shift(bits, np.uint32(13), out=bits)
    np.right_shift(signs, np.uint32(16), out=signs)
    np.bitwise_or(bits, signs, out=bits)
    np.copyto(target.view(np.uint16), bits, casting="unsafe")


def from_half(values: NDArray[np.float16]) -> NDArray[np.float32]:
    """``values`` (float16) as a float32 array. Exact."""
    return _WIDE.take(values.view(np.uint16))
