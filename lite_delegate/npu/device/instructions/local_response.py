"""Local response normalization."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Axes, Instruction, Shape, Work, widen
from ..programs.shapes import check_axes

PASSES = 4
"""Over the elements beside the sums: square, scale, power, product."""


@dataclass(frozen=True, slots=True)
class LocalResponse(Instruction):
    """``x * (bias + alpha * s) ** -beta``, s the sum of squares of the neighbors at most ``radius`` away.

    Neighbors lie along ``axis`` (non-negative); neighbors beyond its ends count as zero. float32, rounded once.
    """

    reads_format: ClassVar[bool] = False
    axis: int
    radius: int
    bias: float
    alpha: float
    beta: float

    def run(self, operands: Sequence[Array]) -> Array:
        x = np.moveaxis(widen(operands[0]), self.axis, -1)
        squares = np.square(x)
        sums = squares.copy()
        for distance in range(1, min(self.radius, x.shape[-1] - 1) + 1):
            sums[..., distance:] += squares[..., :-distance]
            sums[..., :-distance] += squares[..., distance:]
        base = np.float32(self.bias) + np.float32(self.alpha) * sums
        return np.asarray(np.moveaxis(x * np.power(base, np.float32(-self.beta)), -1, self.axis))

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        check_axes([self.axis], operands[0])
        return operands[0]

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        neighbors = min(2 * self.radius, 2 * (output[self.axis] - 1))
        return Work(vector=(PASSES + neighbors) * math.prod(output))

    def reordered(self, axes: Axes) -> Self:
        return type(self)(axes[self.axis], self.radius, self.bias, self.alpha, self.beta)
