"""Normalization to length one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Axes, Instruction, Shape, Work, widen
from ..programs.shapes import check_axes
from .functions import UNFUSED, Fused, apply_fused

PASSES = 2
"""Over the elements: sum of squares, division."""


@dataclass(frozen=True, slots=True)
class NormalizeLength(Instruction):
    """``x / sqrt(max(s, least))``, s the sum of squares along ``axes`` (non-negative, ascending); rounded once."""

    reads_format: ClassVar[bool] = False
    axes: Axes
    least: float
    fused: Fused = UNFUSED

    def run(self, operands: Sequence[Array]) -> Array:
        x = widen(operands[0])
        sums = np.sum(np.square(x), axis=self.axes, keepdims=True, dtype=np.float32)
        return apply_fused(self.fused, np.asarray(x / np.sqrt(np.maximum(sums, np.float32(self.least)))))

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        check_axes(self.axes, operands[0])
        return operands[0]

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        return Work(vector=PASSES * math.prod(output))

    def reordered(self, axes: Axes) -> Self:
        return type(self)(tuple(sorted(axes[axis] for axis in self.axes)), self.least, self.fused)
