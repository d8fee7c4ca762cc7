"""Gathers: slices of one axis, picked by position. Exact."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar, Self

import numpy as np

from ....basics.data_class import dataclass
from ....errors import DelegateExecuteError
from ..programs.instruction import Array, Axes, Shape
from ..programs.shapes import check_axes, unfit
from .movement import MovementInstruction


@dataclass(frozen=True, slots=True)
class Take(MovementInstruction):
    """Of ``axis`` (non-negative) the positions in ``positions``, which are inside the operand; other axes whole."""

    reads_format: ClassVar[bool] = False
    rounds: ClassVar[bool] = False
    axis: int
    positions: Axes

    def run(self, operands: Sequence[Array]) -> Array:
        return operands[0].take(self.positions, axis=self.axis)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        check_axes([self.axis], operands[0])
        dim = operands[0][self.axis]
        if not all(0 <= position < dim for position in self.positions):
            raise unfit(f"positions of {dim}", f"{min(self.positions)} to {max(self.positions)}")
        return (*operands[0][: self.axis], len(self.positions), *operands[0][self.axis + 1 :])

    def reordered(self, axes: Axes) -> Self:
        return type(self)(axes[self.axis], self.positions)


@dataclass(frozen=True, slots=True)
class GatherAlong(MovementInstruction):
    """Of ``axis`` (non-negative) of operand 0 the positions in operand 1, INT32; the axis is replaced by its axes.

    Negative positions count from the end. A position outside of the operand is an error of the run.
    """

    arity: ClassVar[Collection[int]] = (2,)
    reads_format: ClassVar[bool] = False
    rounds: ClassVar[bool] = False
    axis: int

    def run(self, operands: Sequence[Array]) -> Array:
        x, positions = operands
        size = x.shape[self.axis]
        outside = positions[(positions < -size) | (positions >= size)]
        if outside.size:
            raise DelegateExecuteError(
                f"Gather: index {outside.flat[0]} is out of range for a dimension of {size}, "
                f"expected {-size}..{size - 1}."
            )
        return np.asarray(x.take(positions, axis=self.axis))

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        x, positions = operands
        check_axes([self.axis], x)
        return (*x[: self.axis], *positions, *x[self.axis + 1 :])
