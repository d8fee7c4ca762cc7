"""Depthwise convolution: one filter per channel, a multiply-add per tap."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from typing import ClassVar

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Instruction, Shape, Work, widen
from ..programs.shapes import depthwise_shape, windows_over
from ..programs.window import Window
from .functions import UNFUSED, Fused
from .planes import finish, over_planes
from .pooling import Pooled


@dataclass(frozen=True, slots=True)
class DepthwiseConvolution(Instruction):
    """Convolution of each channel of x (N, C, H, W) with its own filter, weight (C, Kh, Kw, 1), optional bias (C,).

    The result is (N, C, *window.output); with ``pooled`` as in ``Convolution``.
    """

    arity: ClassVar[Collection[int]] = (2, 3)
    reads_format: ClassVar[bool] = False
    window: Window
    fused: Fused = UNFUSED
    pooled: Pooled | None = None

    def run(self, operands: Sequence[Array]) -> Array:
        x, weight, *bias = (widen(operand) for operand in operands)
        filters = np.tile(weight.reshape(weight.shape[0], -1), (x.shape[0], 1))
        addends = np.tile(bias[0], x.shape[0]) if bias else None

        def combine(block: slice, taps: Iterator[Array]) -> Array:
            factors = filters[block]
            sums: Array = next(taps) * factors[:, :1]
            product = np.empty_like(sums)
            for number, tap in enumerate(taps, 1):
                sums += np.multiply(tap, factors[:, number, None], out=product)
            finish(sums, None if addends is None else addends[block], self.fused)
            return sums

        out = over_planes(x, self.window, 0.0, combine)
        return out if self.pooled is None else self.pooled.applied(out)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        found = depthwise_shape(self.window, operands)
        return found if self.pooled is None else windows_over(self.pooled.window, found)

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        sums = math.prod((*output[:2], *self.window.output))
        searched = 0 if self.pooled is None else math.prod(output) * math.prod(self.pooled.window.size)
        return Work(macs=sums * math.prod(operands[1][1:]), vector=searched)
