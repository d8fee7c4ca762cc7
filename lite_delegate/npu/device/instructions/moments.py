"""Normalization by the mean and the variance of the operand itself."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import ClassVar, Self

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Axes, Instruction, Shape, Work, widen
from ..programs.shapes import check_axes, check_broadcast

PASSES = 4
"""Over the elements: mean, variance, division, scale and shift."""


@dataclass(frozen=True, slots=True)
class NormalizeMoments(Instruction):
    """``(x - mean) / sqrt(variance + epsilon) * scale + shift``, rounded once.

    Mean and biased variance are taken over ``axes`` (non-negative, ascending), in float32. The operands are x and,
    both or neither, scale and shift, which broadcast against x.
    """

    arity: ClassVar[Collection[int]] = (1, 3)
    reads_format: ClassVar[bool] = False
    axes: Axes
    epsilon: float

    def run(self, operands: Sequence[Array]) -> Array:
        x, *affine = map(widen, operands)
        centered = x - np.mean(x, axis=self.axes, keepdims=True, dtype=np.float32)
        variance = np.mean(np.square(centered), axis=self.axes, keepdims=True, dtype=np.float32)
        centered /= np.sqrt(variance + np.float32(self.epsilon))
        if affine:
            centered *= affine[0]
            centered += affine[1]
        return np.asarray(centered)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        check_axes(self.axes, operands[0])
        return check_broadcast(operands[1:], operands[0])

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        return Work(vector=PASSES * math.prod(output))

    def reordered(self, axes: Axes) -> Self:
        return type(self)(tuple(sorted(map(axes.__getitem__, self.axes))), self.epsilon)
