"""Depthwise convolution: one filter per channel, a multiply-add per tap."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .functions import UNFUSED, Fused
from .instruction import Array, Instruction, Shape, Work, widen
from .planes import finish, over_planes
from .shapes import depthwise_shape
from .window import Window


@dataclass(frozen=True, slots=True)
class DepthwiseConvolution(Instruction):
    """Convolution of each channel of x (N, C, H, W) with its own filter, weight (C, Kh, Kw, 1), optional bias (C,)."""

    arity: ClassVar[Collection[int]] = (2, 3)
    reads_format: ClassVar[bool] = False
    window: Window
    fused: Fused = UNFUSED

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

        return over_planes(x, self.window, 0.0, combine)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        return depthwise_shape(self.window, operands)

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        return Work(macs=math.prod(output) * math.prod(operands[1][1:]))
