"""Matrix product."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import ClassVar

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Instruction, Shape, Work, widen
from ..programs.shapes import matrix, product
from .functions import UNFUSED, Fused, apply_fused
from .products import products


@dataclass(frozen=True, slots=True)
class MatMul(Instruction):
    """a (..., M, K) times b (..., K, N), plus an optional bias (N,).

    A transposed operand has its last two axes swapped in memory; the leading axes broadcast.
    """

    arity: ClassVar[Collection[int]] = (2, 3)
    reads_format: ClassVar[bool] = False
    transpose_a: bool = False
    transpose_b: bool = False
    fused: Fused = UNFUSED

    def run(self, operands: Sequence[Array]) -> Array:
        a, b, *bias = map(widen, operands)
        left = a.swapaxes(-1, -2) if self.transpose_a else a
        right = b.swapaxes(-1, -2) if self.transpose_b else b
        out = products(left, right)
        if bias:
            out += bias[0]
        return apply_fused(self.fused, out)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        a, b, *bias = operands
        return product(matrix(a, swap=self.transpose_a), matrix(b, swap=self.transpose_b), bias)

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        terms = operands[0][-2 if self.transpose_a else -1]
        return Work(macs=math.prod(output) * terms)
