"""Transfers between the memories, and the joining of transferred parts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import ANY_NUMBER, Array, Instruction, Shape, Work
from ..programs.shapes import joined
from .movement import MovementInstruction


@dataclass(frozen=True, slots=True)
class Dma(MovementInstruction):
    """A copy of the operand: from one memory to the other, or into its place in a larger buffer.

    The regions of the two buffers are source and destination.
    """

    reads_format: ClassVar[bool] = False
    rounds: ClassVar[bool] = False

    def run(self, operands: Sequence[Array]) -> Array:
        return operands[0]


@dataclass(frozen=True, slots=True)
class Join(Instruction):
    """The operands one after another along ``axis`` (non-negative), where each is already in its place in the result.

    Their regions say so (``MemoryRegion.part_of``). Nothing is moved, and it costs nothing.
    """

    arity: ClassVar[Collection[int]] = ANY_NUMBER
    reads_format: ClassVar[bool] = False
    rounds: ClassVar[bool] = False
    axis: int

    def run(self, operands: Sequence[Array]) -> Array:
        return np.concatenate(list(operands), axis=self.axis)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        return joined(operands, self.axis)

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        return Work()
