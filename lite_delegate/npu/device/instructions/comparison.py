"""Comparisons of two operands, with broadcasting: bool results."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from enum import StrEnum
from typing import ClassVar, Self

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Axes, Instruction


class ComparisonFunction(StrEnum):
    """The question about x and y."""

    EQUAL = "equal"
    NOT_EQUAL = "not_equal"
    LESS = "less"
    LESS_EQUAL = "less_equal"
    GREATER = "greater"
    GREATER_EQUAL = "greater_equal"


_FUNCTIONS: dict[ComparisonFunction, Callable[[Array, Array], Array]] = {
    ComparisonFunction.EQUAL: np.equal,
    ComparisonFunction.NOT_EQUAL: np.not_equal,
    ComparisonFunction.LESS: np.less,
    ComparisonFunction.LESS_EQUAL: np.less_equal,
    ComparisonFunction.GREATER: np.greater,
    ComparisonFunction.GREATER_EQUAL: np.greater_equal,
}


@dataclass(frozen=True, slots=True)
class Compare(Instruction):
    """A comparison of two operands of one kind (real numbers, int32 or bool) that broadcast against each other.

    Exact on the stored numbers. NaN is equal to no number and neither less nor greater, by IEEE 754.
    """

    arity: ClassVar[Collection[int]] = (2,)
    reads_format: ClassVar[bool] = False
    comparison: ComparisonFunction

    def run(self, operands: Sequence[Array]) -> Array:
        return np.asarray(_FUNCTIONS[self.comparison](operands[0], operands[1]))

    def reordered(self, axes: Axes) -> Self:
        return self
