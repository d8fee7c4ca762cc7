"""Matrix product of quantised integers."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .instruction import Array, Instruction, Shape, Work
from .quantised_convolution import WIDE
from .quantised_scaling import Requantisation
from .quantised_sums import centred, exact_type
from .shapes import check_channels, matrix, product


@dataclass(frozen=True, slots=True)
class QuantisedMatMul(Instruction):
    """a (..., M, K) times b (..., K, N), plus an optional bias (N,) int32; a and b are INT8 or UINT8.

    A transposed operand has its last two axes swapped in memory; the leading axes broadcast. Sums and requantisation
    as in ``QuantisedConvolution``; the channels are the columns.

    Attributes:
        zero_point: of a.
        weight_zero_points: of b: one, or one per column.
        requantisation: from the sums to the result.
    """

    arity: ClassVar[Collection[int]] = (2, 3)
    zero_point: int
    weight_zero_points: tuple[int, ...]
    requantisation: Requantisation
    transpose_a: bool = False
    transpose_b: bool = False

    def run(self, operands: Sequence[Array]) -> Array:
        a, stored, *bias = operands
        right = centred(stored, self.weight_zero_points, -2 if self.transpose_b else -1, WIDE)
        right = right.swapaxes(-1, -2) if self.transpose_b else right
        exact = exact_type(a, self.zero_point, right, (-2,))
        left = centred(a, (self.zero_point,), -1, exact)
        left = left.swapaxes(-1, -2) if self.transpose_a else left
        sums = np.matmul(left, right.astype(exact)).astype(np.int64)
        if bias:
            sums += bias[0]
        return self.requantisation.applied(sums, -1)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        a, b, *bias = operands
        result = product(matrix(a, swap=self.transpose_a), matrix(b, swap=self.transpose_b), bias)
        check_channels(result[-1], self.weight_zero_points, *self.requantisation.each)
        return result

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        terms = operands[0][-2 if self.transpose_a else -1]
        return Work(macs=math.prod(output) * terms, vector=math.prod(output))
