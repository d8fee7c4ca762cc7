"""Transposed convolution of quantized integers."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import ClassVar

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Instruction, Shape, Work
from ..programs.shapes import check_channels, transposed_shape
from ..programs.window import Window
from .quantized_convolution import WIDE
from .quantized_scaling import Requantization
from .quantized_sums import centered, exact_type
from .transposed_convolution import spread


@dataclass(frozen=True, slots=True)
class QuantizedTransposedConvolution(Instruction):
    """x (N, Cin, H, W) spread by weight (Cin, Kh, Kw, Cout/group), optional bias (Cout,) int32: as integers.

    x and weight are INT8 or UINT8; geometry as in ``TransposedConvolution``, sums and requantization as in
    ``QuantizedConvolution``.

    Attributes:
        zero_point: of x.
        weight_zero_points: one; or one per output channel, where there is one group.
        requantization: from the sums to the result.
    """

    arity: ClassVar[Collection[int]] = (2, 3)
    window: Window
    zero_point: int
    weight_zero_points: tuple[int, ...]
    requantization: Requantization
    group: int = 1

    def run(self, operands: Sequence[Array]) -> Array:
        x, stored, *bias = operands
        weight = centered(stored, self.weight_zero_points, 3, WIDE)
        exact = exact_type(x, self.zero_point, weight, (0, 1, 2))
        sums = spread(centered(x, (self.zero_point,), 1, exact), weight.astype(exact), self.window, self.group)
        total = sums.astype(np.int64)
        if bias:
            total += bias[0][:, None, None]
        return self.requantization.applied(total, -3)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        found = transposed_shape(self.window, operands, self.group)
        check_channels(found[1], self.weight_zero_points, *self.requantization.each)
        return found

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        return Work(macs=math.prod(operands[0]) * math.prod(operands[1][1:]), vector=math.prod(output))
