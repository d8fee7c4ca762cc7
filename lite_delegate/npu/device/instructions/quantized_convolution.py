"""Convolution of quantized integers."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import ClassVar

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Instruction, Shape, Work
from ..programs.shapes import check_channels, convolution_shape, windows_over
from ..programs.window import Window
from .quantized_pooling import QuantizedPooled
from .quantized_scaling import Requantization
from .quantized_sums import centered, convolved, exact_type

WIDE = np.dtype(np.float64)


@dataclass(frozen=True, slots=True)
class QuantizedConvolution(Instruction):
    """Grouped convolution of x (N, Cin, H, W) with weight (Cout, Kh, Kw, Cin/group), optional bias (Cout,) int32.

    x and weight are INT8 or UINT8. The sums of ``(x - zero_point) * (weight - weight_zero_points)`` and the bias are
    exact, saturate at 32 bits and are requantized per output channel. Padding is the real number 0.

    Attributes:
        zero_point: of x.
        weight_zero_points: one, or one per output channel.
        requantization: from the sums to the result.
        pooled: the pool that follows on the result, of which its windows are the result then.
    """

    arity: ClassVar[Collection[int]] = (2, 3)
    window: Window
    zero_point: int
    weight_zero_points: tuple[int, ...]
    requantization: Requantization
    group: int = 1
    pooled: QuantizedPooled | None = None

    def run(self, operands: Sequence[Array]) -> Array:
        x, stored, *bias = operands
        weight = centered(stored, self.weight_zero_points, 0, WIDE)
        exact = exact_type(x, self.zero_point, weight, (1, 2, 3))
        padded = self.window.padded(centered(x, (self.zero_point,), 1, exact), 0.0)
        sums = convolved(padded, weight.astype(exact), self.window, self.group)
        if bias:
            sums += bias[0][:, None, None]
        out = self.requantization.applied(sums, -3)
        return out if self.pooled is None else self.pooled.applied(out)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        found = convolution_shape(self.window, operands, self.group)
        check_channels(found[1], self.weight_zero_points, *self.requantization.each)
        return found if self.pooled is None else windows_over(self.pooled.window, found)

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        sums = math.prod((*output[:2], *self.window.output))
        searched = 0 if self.pooled is None else math.prod(output) * math.prod(self.pooled.window.size)
        return Work(macs=sums * math.prod(operands[1][1:]), vector=sums + searched)
