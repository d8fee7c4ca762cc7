"""Normalization by given statistics."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar, Self

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Axes, Instruction, Shape, widen
from ..programs.shapes import check_broadcast


@dataclass(frozen=True, slots=True)
class Normalize(Instruction):
    """``(x - mean) * factor + offset``, with one rounding; the operands broadcast against x.

    The mean comes as two float16 numbers whose sum it is (22 bits): where it is large beside the spread of x, the
    rounding of a single one would be scaled up by ``factor``.
    """

    arity: ClassVar[Collection[int]] = (5,)
    reads_format: ClassVar[bool] = False

    def run(self, operands: Sequence[Array]) -> Array:
        x, mean_high, mean_low, factor, offset = map(widen, operands)
        return np.asarray((x - mean_high - mean_low) * factor + offset)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        return check_broadcast(operands[1:], operands[0])

    def reordered(self, axes: Axes) -> Self:
        return self
