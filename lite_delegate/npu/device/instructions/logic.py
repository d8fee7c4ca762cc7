"""Logical functions: a number counts as true when it is not zero, and truth is one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from enum import StrEnum
from typing import ClassVar, Self

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Axes, Instruction, Shape
from ..programs.shapes import broadcast, unfit


class LogicalFunction(StrEnum):
    """A logical function; ``NOT`` takes one operand, the other functions take two."""

    AND = "and"
    OR = "or"
    NOT = "not"


_FUNCTIONS: dict[LogicalFunction, Callable[..., Array]] = {
    LogicalFunction.AND: np.logical_and,
    LogicalFunction.OR: np.logical_or,
    LogicalFunction.NOT: np.logical_not,
}


@dataclass(frozen=True, slots=True)
class Logical(Instruction):
    """A logical function of bool operands, or of numbers: then 1 and 0 in their own type. NaN is not zero.

    Two operands are of one kind and broadcast against each other.
    """

    arity: ClassVar[Collection[int]] = (1, 2)
    reads_format: ClassVar[bool] = False
    function: LogicalFunction

    def run(self, operands: Sequence[Array]) -> Array:
        truth = np.asarray(_FUNCTIONS[self.function](*operands))
        if operands[0].dtype.kind == "f":
            return truth.astype(np.float32)
        return truth.astype(operands[0].dtype)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        expected = 1 if self.function is LogicalFunction.NOT else 2
        if len(operands) != expected:
            raise unfit(f"{expected} operands", len(operands))
        return broadcast(operands)

    def reordered(self, axes: Axes) -> Self:
        return self
