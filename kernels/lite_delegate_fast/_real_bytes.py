"""Real numbers to integers of 8 bits and back in few passes: ``quantize`` and ``dequantize`` of the reference kernels.

``quantize`` grows with its number, and so does ``floor(x * factor + offset)`` in float64. Both are the same function of
float32 if they are at the numbers where an integer begins and at the numbers of float32 just below: 510, all tried. The
factor is a little more than ``1 / scale``, so that halves go away from zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._quantization import Quantization, quantize

BLOCK = 1 << 15
"""The elements that are converted at a time: 256 KiB of float64 stay in a core's second-level cache."""
NEAREST = 3
"""How many numbers of float32 away from its nearest real number an integer may begin."""
AWAY = 1 + 2.0**-40


class ByteQuantization:
    """``quantize`` of arrays of float32. Safe for several threads.

    Args:
        scale, zero_point: of the integers.
        dtype: int8 or uint8.
        lowest, highest: numbers of float32; those beyond become the same integers as they.
    """

    def __init__(
        self, scale: float, zero_point: int, dtype: np.dtype[Any], lowest: np.float32, highest: np.float32
    ) -> None:
        self._dtype, self._zero_point = dtype, zero_point
        self._low = int(np.iinfo(dtype).min)
        self._factor, self._offset = AWAY / scale, AWAY * zero_point + 0.5 - self._low
        self._lowest, self._highest = lowest, highest

    def floors(self, x: Array) -> Array:
        """The integers of numbers between the lowest and the highest, counted from the least of the dtype."""
        real = x.astype(np.float64)
        np.multiply(real, self._factor, out=real)
        np.add(real, self._offset, out=real)
        return real.astype(np.uint8)

    def __call__(self, x: Array) -> Array:
        """The integers of an array of float32; NaN becomes the zero point."""
        flat = np.ascontiguousarray(x).reshape(-1)
        results = np.empty(flat.shape, np.uint8)
        inside = np.empty(min(BLOCK, flat.size), np.float32)
        for first in range(0, flat.size, BLOCK):
            part = flat[first : first + BLOCK]
            given = part.clip(self._lowest, self._highest, out=inside[: len(part)])
            has_nan = np.isnan(given.min())
            if has_nan:
                given[np.isnan(given)] = self._lowest
            target = results[first : first + BLOCK]
            np.add(self.floors(given), np.uint8(self._low & 0xFF), out=target)
            if has_nan:
                target[np.isnan(part)] = self._zero_point & 0xFF
        return results.view(self._dtype).reshape(x.shape)


def byte_quantization(quantization: Quantization, dtype: np.dtype[Any]) -> ByteQuantization | None:
    """The function that is proven to do the same as ``quantize``; None where none was found.

    Args:
        quantization: one scale and zero point.
        dtype: int8 or uint8.
    """
    scale, zero_point = quantization.scales[0], quantization.zero_points[0]
    limits = np.iinfo(dtype)
    integers = np.arange(limits.min + 1, limits.max + 1)
    with np.errstate(all="ignore"):
        near = ((integers - 0.5 - zero_point) * scale).astype(np.float32)
        tried = np.stack([_moved(near, steps) for steps in range(-NEAREST, NEAREST + 1)])
        is_there = quantize(tried, quantization, dtype) >= integers
        begins = np.argmax(is_there, axis=0)
        if not (np.isfinite(tried).all() and is_there[-1].all() and not is_there[0].any()):
            return None
        at, below = (np.take_along_axis(tried, (begins - less)[None], axis=0)[0] for less in (0, 1))
        made = ByteQuantization(scale, zero_point, dtype, below[0], at[-1])
        counts = integers - limits.min
        fits = (made.floors(at) == counts).all() and (made.floors(below) == counts - 1).all()
    return made if fits else None


def _moved(x: Array, steps: int) -> Array:
    """The numbers of float32 some steps above, or below."""
    for _ in range(abs(steps)):
        x = np.nextafter(x, np.float32(np.copysign(np.inf, steps)))
    return x


def dequantized(x: Array, scale: np.float32, zero_point: np.float32) -> Array:
    """``dequantize`` of integers of 8 bits with one scale."""
    real = np.asarray(np.subtract(x, zero_point, dtype=np.float32))
    np.multiply(real, scale, out=real)
    return real
