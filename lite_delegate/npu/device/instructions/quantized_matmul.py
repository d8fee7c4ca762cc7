"""Matrix product of quantized integers."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import ClassVar

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Instruction, Shape, Work
from ..programs.shapes import check_channels, matrix, product
from .products import products
from .quantized_convolution import WIDE
from .quantized_scaling import Requantization
from .quantized_sums import centered, exact_type


@dataclass(frozen=True, slots=True)
class QuantizedMatMul(Instruction):
    """a (..., M, K) times b (..., K, N), plus an optional bias (N,) int32; a and b are INT8 or UINT8.

    A transposed operand has its last two axes swapped in memory; the leading axes broadcast. Sums and requantization
    as in ``QuantizedConvolution``; the channels are the columns.

    Attributes:
        zero_point: of a.
        weight_zero_points: of b: one, or one per column.
        requantization: from the sums to the result.
    """

    arity: ClassVar[Collection[int]] = (2, 3)
    zero_point: int
    weight_zero_points: tuple[int, ...]
    requantization: Requantization
    transpose_a: bool = False
    transpose_b: bool = False

    def run(self, operands: Sequence[Array]) -> Array:
        a, stored, *bias = operands
        right = centered(stored, self.weight_zero_points, -2 if self.transpose_b else -1, WIDE)
        right = right.swapaxes(-1, -2) if self.transpose_b else right
        exact = exact_type(a, self.zero_point, right, (-2,))
        left = centered(a, (self.zero_point,), -1, exact)
        left = left.swapaxes(-1, -2) if self.transpose_a else left
        sums = products(left, right.astype(exact)).astype(np.int64)
        if bias:
            sums += bias[0]
        return self.requantization.applied(sums, -1)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        a, b, *bias = operands
        result = product(matrix(a, swap=self.transpose_a), matrix(b, swap=self.transpose_b), bias)
        check_channels(result[-1], self.weight_zero_points, *self.requantization.each)
        return result

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        terms = operands[0][-2 if self.transpose_a else -1]
        return Work(macs=math.prod(output) * terms, vector=math.prod(output))
