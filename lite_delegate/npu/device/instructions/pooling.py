"""Pooling: the largest element or the mean of each window; padding is never counted."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Instruction, Shape, Work, widen
from ..programs.shapes import windows_over
from ..programs.window import Window
from .functions import UNFUSED, Fused, apply_fused
from .planes import over_planes


@dataclass(frozen=True, slots=True)
class Pooled:
    """The largest element of each window, or the mean of each.

    Attributes:
        window: where to search.
        lowest: where the search starts: a window with nothing above it gives this number.
        averages: the mean is the result; all of each window then lies on the input.
    """

    window: Window
    lowest: float
    averages: bool = False

    def applied(self, x: Array) -> Array:
        """x (N, C, H, W), float32, to (N, C, *window.output)."""
        if not self.averages:
            return self.largest(x)
        return np.asarray(over_planes(x, self.window, 0.0, _sum) / np.float32(math.prod(self.window.size)))

    def largest(self, x: Array) -> Array:
        """x (N, C, H, W), float32, to (N, C, *window.output); a window with a NaN gives NaN."""

        def combine(block: slice, taps: Iterator[Array]) -> Array:
            first = next(taps)
            out = np.full_like(first, self.lowest)
            for tap in (first, *taps):
                np.maximum(out, tap, out=out)
            return out

        return over_planes(x, self.window, self.lowest, combine)


@dataclass(frozen=True, slots=True)
class MaxPool(Instruction):
    """Largest element of each window of x (N, C, H, W), exact; a window with a NaN gives NaN.

    The search starts at the lowest finite number of the operand's type, as the runtime's does, so a window of -inf
    alone gives that number, -65504 in float16.
    """

    window: Window
    fused: Fused = UNFUSED

    def run(self, operands: Sequence[Array]) -> Array:
        pooled = Pooled(self.window, float(np.finfo(operands[0].dtype).min))
        return apply_fused(self.fused, pooled.largest(widen(operands[0])))

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        return windows_over(self.window, operands[0])

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        return Work(vector=math.prod(output) * math.prod(self.window.size))


@dataclass(frozen=True, slots=True)
class AveragePool(Instruction):
    """Mean of the elements of each window of x (N, C, H, W) that lie on the input."""

    reads_format: ClassVar[bool] = False
    window: Window
    fused: Fused = UNFUSED

    def run(self, operands: Sequence[Array]) -> Array:
        x = widen(operands[0])
        out = over_planes(x, self.window, 0.0, _sum)
        out /= self.window.counts(*x.shape[2:]).astype(np.float32)
        return apply_fused(self.fused, out)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        return windows_over(self.window, operands[0])

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        return Work(vector=math.prod(output) * math.prod(self.window.size))


def _sum(block: slice, taps: Iterator[Array]) -> Array:
    out = next(taps).copy()
    for tap in taps:
        out += tap
    return out
