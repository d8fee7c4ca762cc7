"""Element-wise functions of two or three operands, with broadcasting."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from enum import StrEnum
from typing import ClassVar, Self

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Axes, Instruction, Shape, widen
from ..programs.shapes import check_broadcast
from .functions import UNFUSED, Fused, apply_fused


class BinaryFunction(StrEnum):
    """Functions of two operands. ``LEAKY`` is x above 0, else x * y."""

    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"
    FLOOR_DIV = "floor_div"
    FLOOR_MOD = "floor_mod"
    LEAKY = "leaky"
    MAXIMUM = "maximum"
    MINIMUM = "minimum"
    SQUARED_DIFFERENCE = "squared_difference"


_FUNCTIONS: dict[BinaryFunction, Callable[[Array, Array], Array]] = {
    BinaryFunction.ADD: np.add,
    BinaryFunction.SUB: np.subtract,
    BinaryFunction.MUL: np.multiply,
    BinaryFunction.DIV: np.divide,
    BinaryFunction.FLOOR_DIV: lambda x, y: np.floor(np.divide(x, y)),
    BinaryFunction.FLOOR_MOD: np.mod,
    BinaryFunction.LEAKY: lambda x, y: np.where(x > 0, x, x * y),
    BinaryFunction.MAXIMUM: np.maximum,
    BinaryFunction.MINIMUM: np.minimum,
    BinaryFunction.SQUARED_DIFFERENCE: lambda x, y: np.square(x - y),
}
_OF_INTEGERS: dict[BinaryFunction, Callable[[Array, Array], Array]] = {
    BinaryFunction.DIV: lambda x, y: (x - np.fmod(x, y)) // y,  # toward zero: fmod has the sign of x
    BinaryFunction.FLOOR_DIV: np.floor_divide,
}


@dataclass(frozen=True, slots=True)
class Binary(Instruction):
    """A function of two operands that broadcast against each other.

    Real numbers: ``FLOOR_DIV`` floors the rounded quotient, ``FLOOR_MOD`` has the sign of the divisor, division by
    zero is as IEEE 754 says. int32, both operands: exact, wrapping around; ``DIV`` drops the fraction; a divisor of
    zero gives a number without meaning, which the compiler must rule out.
    """

    arity: ClassVar[Collection[int]] = (2,)
    reads_format: ClassVar[bool] = False
    function: BinaryFunction
    fused: Fused = UNFUSED

    def run(self, operands: Sequence[Array]) -> Array:
        function = _FUNCTIONS[self.function]
        if operands[0].dtype == np.int32:
            return apply_fused(self.fused, np.asarray(_OF_INTEGERS.get(self.function, function)(*operands)))
        return apply_fused(self.fused, np.asarray(function(*map(widen, operands))))

    def reordered(self, axes: Axes) -> Self:
        return self


@dataclass(frozen=True, slots=True)
class ScaleShift(Instruction):
    """``x * scale + shift`` with one rounding; ``scale`` and the optional ``shift`` broadcast against x."""

    arity: ClassVar[Collection[int]] = (2, 3)
    reads_format: ClassVar[bool] = False
    fused: Fused = UNFUSED

    def run(self, operands: Sequence[Array]) -> Array:
        x, scale, *shift = map(widen, operands)
        out = x * scale + shift[0] if shift else x * scale
        return apply_fused(self.fused, np.asarray(out))

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        return check_broadcast(operands[1:], operands[0])

    def reordered(self, axes: Axes) -> Self:
        return self
