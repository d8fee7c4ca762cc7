"""Depthwise convolution of quantized integers."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import ClassVar

import numpy as np

from ....basics.data_class import dataclass
from ....delegate import cancel_point
from ..programs.instruction import Array, Instruction, Shape, Work
from ..programs.shapes import check_channels, depthwise_shape, windows_over
from ..programs.window import Window
from .quantized_convolution import WIDE
from .quantized_pooling import QuantizedPooled
from .quantized_scaling import Requantization
from .quantized_sums import centered, exact_type


@dataclass(frozen=True, slots=True)
class QuantizedDepthwiseConvolution(Instruction):
    """Convolution of each channel of x (N, C, H, W) with its own filter, weight (C, Kh, Kw, 1), optional bias (C,).

    x and weight are INT8 or UINT8, the bias INT32; sums and requantization as in ``QuantizedConvolution``.

    Attributes:
        zero_point: of x.
        weight_zero_points: one, or one per channel.
        requantization: from the sums to the result.
        pooled: the pool that follows on the result, of which its windows are the result then.
    """

    arity: ClassVar[Collection[int]] = (2, 3)
    window: Window
    zero_point: int
    weight_zero_points: tuple[int, ...]
    requantization: Requantization
    pooled: QuantizedPooled | None = None

    def run(self, operands: Sequence[Array]) -> Array:
        x, stored, *bias = operands
        weight = centered(stored, self.weight_zero_points, 0, WIDE)
        exact = exact_type(x, self.zero_point, weight, (1, 2, 3))
        padded = self.window.padded(centered(x, (self.zero_point,), 1, exact), 0.0)
        filters = weight.astype(exact).reshape(weight.shape[0], -1)
        out = np.zeros((*x.shape[:2], *self.window.output), exact)
        product = np.empty_like(out)
        for number, tap in enumerate(self.window.taps(padded)):
            cancel_point()
            out += np.multiply(tap, filters[:, number, None, None], out=product)
        sums = out.astype(np.int64)
        if bias:
            sums += bias[0][:, None, None]
        out = self.requantization.applied(sums, -3)
        return out if self.pooled is None else self.pooled.applied(out)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        found = depthwise_shape(self.window, operands)
        check_channels(found[1], self.weight_zero_points, *self.requantization.each)
        return found if self.pooled is None else windows_over(self.pooled.window, found)

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        sums = math.prod((*output[:2], *self.window.output))
        searched = 0 if self.pooled is None else math.prod(output) * math.prod(self.pooled.window.size)
        return Work(macs=sums * math.prod(operands[1][1:]), vector=sums + searched)
