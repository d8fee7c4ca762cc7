"""Functions of one int32 operand: exact, wrapping around."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Self

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Axes, Instruction


class IntegerFunction(StrEnum):
    """``CLAMP`` takes (lowest, highest). The absolute value and the negative of -2**31 are -2**31."""

    ABS = "abs"
    CLAMP = "clamp"
    NEG = "neg"
    SIGN = "sign"
    SQUARE = "square"


_FUNCTIONS: dict[IntegerFunction, Callable[..., Array]] = {
    IntegerFunction.ABS: np.abs,
    IntegerFunction.CLAMP: np.clip,
    IntegerFunction.NEG: np.negative,
    IntegerFunction.SIGN: np.sign,
    IntegerFunction.SQUARE: np.square,
}


@dataclass(frozen=True, slots=True)
class IntegerUnary(Instruction):
    """A function of one int32 operand of any shape."""

    function: IntegerFunction
    parameters: tuple[int, ...] = ()

    def run(self, operands: Sequence[Array]) -> Array:
        return np.asarray(_FUNCTIONS[self.function](operands[0], *self.parameters))

    def reordered(self, axes: Axes) -> Self:
        return self
