"""Instructions that move elements and change none: permute, view, concatenate. Exact."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from .instruction import Array, Axes, Instruction, Shape, Work


class Movement(Instruction):
    """An instruction that the DMA engines do alone."""

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        return Work(moved=math.prod(output))


@dataclass(frozen=True, slots=True)
class Permute(Movement):
    """Axis i of the result is axis ``axes[i]`` of the operand."""

    reads_format: ClassVar[bool] = False
    rounds: ClassVar[bool] = False
    axes: Axes

    def run(self, operands: Sequence[Array]) -> Array:
        return np.asarray(operands[0].transpose(self.axes), order="C")


@dataclass(frozen=True, slots=True)
class View(Instruction):
    """The same elements in the same order under another shape; no element is moved, and it costs nothing."""

    reads_format: ClassVar[bool] = False
    rounds: ClassVar[bool] = False
    shape: Shape

    def run(self, operands: Sequence[Array]) -> Array:
        return operands[0].reshape(self.shape)

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        return Work()


@dataclass(frozen=True, slots=True)
class Concatenate(Movement):
    """The operands one after another along ``axis`` (non-negative)."""

    reads_format: ClassVar[bool] = False
    rounds: ClassVar[bool] = False
    axis: int

    def run(self, operands: Sequence[Array]) -> Array:
        return np.concatenate(list(operands), axis=self.axis)

    def reordered(self, axes: Axes) -> Self:
        return type(self)(axes[self.axis])
