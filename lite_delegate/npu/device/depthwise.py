"""Depthwise convolution: one filter per channel, a multiply-add per tap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .functions import UNFUSED, Fused, apply_fused
from .instruction import Array, Instruction, Shape, Work, widen
from .window import Window


@dataclass(frozen=True, slots=True)
class DepthwiseConvolution(Instruction):
    """Convolution of each channel of x (N, C, H, W) with its own filter, weight (C, Kh, Kw, 1), optional bias (C,)."""

    reads_format: ClassVar[bool] = False
    window: Window
    fused: Fused = UNFUSED

    def run(self, operands: Sequence[Array]) -> Array:
        x, weight, *bias = map(widen, operands)
        padded = self.window.padded(x, 0.0)
        filters = weight.reshape(weight.shape[0], -1)
        out = np.zeros((*x.shape[:2], *self.window.output), np.float32)
        product = np.empty_like(out)
        for number, tap in enumerate(self.window.taps(padded)):
            out += np.multiply(tap, filters[:, number, None, None], out=product)
        if bias:
            out += bias[0][:, None, None]
        return apply_fused(self.fused, out)

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        return Work(macs=math.prod(output) * math.prod(operands[1][1:]))
