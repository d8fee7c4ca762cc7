"""Pooling of quantized integers: the largest or the mean of each window; padding is never counted."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ....basics.data_class import dataclass
from ....delegate import cancel_point
from ..programs.instruction import Array, Instruction, Shape, Work
from ..programs.shapes import windows_over
from ..programs.window import Window


@dataclass(frozen=True, slots=True)
class QuantizedPooled:
    """A pool of integers inside of a convolution, on its requantized results.

    Attributes:
        window: where to search.
        low: of the result.
        high: of the result.
        averages: the mean of each window is the result, else the largest element.
    """

    window: Window
    low: int
    high: int
    averages: bool = False

    def applied(self, x: Array) -> Array:
        """x (N, C, H, W) to (N, C, *window.output), as the pool by itself gives it."""
        kind = QuantizedAveragePool if self.averages else QuantizedMaxPool
        return kind(self.window, self.low, self.high).run([x])


@dataclass(frozen=True, slots=True)
class QuantizedMaxPool(Instruction):
    """Largest element of each window of x (N, C, H, W), INT8 or UINT8, exact, then bounded.

    Attributes:
        low: of the result; a fused activation is in the bounds.
        high: of the result.
    """

    window: Window
    low: int
    high: int

    def run(self, operands: Sequence[Array]) -> Array:
        lowest = np.iinfo(operands[0].dtype).min
        taps = self.window.taps(self.window.padded(operands[0], lowest))
        cancel_point()
        out = next(taps).copy()
        for tap in taps:
            cancel_point()
            np.maximum(out, tap, out=out)
        return np.clip(out, self.low, self.high, out=out)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        return windows_over(self.window, operands[0])

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        return Work(vector=math.prod(output) * math.prod(self.window.size))


@dataclass(frozen=True, slots=True)
class QuantizedAveragePool(Instruction):
    """Mean of the elements of each window of x (N, C, H, W) that lie on the input, INT8 or UINT8, then bounded.

    Sums are exact; the mean is rounded to the nearest whole number, halves away from zero.

    Attributes:
        low: of the result; a fused activation is in the bounds.
        high: of the result.
    """

    window: Window
    low: int
    high: int

    def run(self, operands: Sequence[Array]) -> Array:
        x = operands[0]
        cancel_point()
        taps = self.window.taps(self.window.padded(x.astype(np.int32), 0))
        sums = next(taps).astype(np.int64)
        for tap in taps:
            cancel_point()
            sums += tap
        counts = self.window.counts(*x.shape[2:])
        means = np.sign(sums) * ((2 * np.abs(sums) + counts) // (2 * counts))
        return np.asarray(np.clip(means, self.low, self.high).astype(x.dtype))

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        return windows_over(self.window, operands[0])

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        return Work(vector=math.prod(output) * math.prod(self.window.size))
