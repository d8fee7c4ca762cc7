"""Instructions that move elements and change none: permute, view, concatenate. Exact."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import ClassVar, Self

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import ANY_NUMBER, Array, Axes, Instruction, Shape, Work
from ..programs.shapes import check_axes, check_each, joined, unfit


class MovementInstruction(Instruction):
    """An instruction that the DMA engines do alone."""

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        return Work(moved=math.prod(output))


@dataclass(frozen=True, slots=True)
class Permute(MovementInstruction):
    """Axis i of the result is axis ``axes[i]`` of the operand."""

    reads_format: ClassVar[bool] = False
    rounds: ClassVar[bool] = False
    axes: Axes

    def run(self, operands: Sequence[Array]) -> Array:
        return np.asarray(operands[0].transpose(self.axes), order="C")

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        (x,) = operands
        check_axes(self.axes, x)
        check_each(self.axes, x, 0)
        return tuple(map(x.__getitem__, self.axes))


@dataclass(frozen=True, slots=True)
class View(Instruction):
    """The elements of the operand in the same order under another shape; a view moves no element and takes no time."""

    reads_format: ClassVar[bool] = False
    rounds: ClassVar[bool] = False
    shape: Shape

    def run(self, operands: Sequence[Array]) -> Array:
        return operands[0].reshape(self.shape)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        if math.prod(self.shape) != math.prod(operands[0]) or min(self.shape, default=0) < 0:
            raise unfit(f"as many elements as {operands[0]}", self.shape)
        return self.shape

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        return Work()


@dataclass(frozen=True, slots=True)
class Concatenate(MovementInstruction):
    """The operands one after another along ``axis`` (non-negative)."""

    arity: ClassVar[Collection[int]] = ANY_NUMBER
    reads_format: ClassVar[bool] = False
    rounds: ClassVar[bool] = False
    axis: int

    def run(self, operands: Sequence[Array]) -> Array:
        return np.concatenate(list(operands), axis=self.axis)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        return joined(operands, self.axis)

    def reordered(self, axes: Axes) -> Self:
        return type(self)(axes[self.axis])
