"""Repetitions: a tensor several times along its axes. Exact."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul
from typing import ClassVar, Self

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Axes, Shape
from ..programs.shapes import check_broadcast, check_each
from .movement import MovementInstruction
from .slicing import unpermuted


@dataclass(frozen=True, slots=True)
class Repeat(MovementInstruction):
    """The whole operand ``counts[a]`` times, one after another, along each axis a."""

    reads_format: ClassVar[bool] = False
    rounds: ClassVar[bool] = False
    counts: Axes

    def run(self, operands: Sequence[Array]) -> Array:
        return np.tile(operands[0], self.counts)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        (x,) = operands
        check_each(self.counts, x, 1)
        return tuple(map(mul, x, self.counts))

    def reordered(self, axes: Axes) -> Self:
        return type(self)(unpermuted(self.counts, axes))


@dataclass(frozen=True, slots=True)
class Broadcast(MovementInstruction):
    """The operand with each axis of one position repeated up to ``shape``, which has as many axes."""

    reads_format: ClassVar[bool] = False
    rounds: ClassVar[bool] = False
    shape: Shape

    def run(self, operands: Sequence[Array]) -> Array:
        return np.array(np.broadcast_to(operands[0], self.shape), order="C")

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        check_each(self.shape, operands[0], 1)
        return check_broadcast(operands, self.shape)

    def reordered(self, axes: Axes) -> Self:
        return type(self)(unpermuted(self.shape, axes))
