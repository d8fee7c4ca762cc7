"""Element-wise functions of two or three operands, with broadcasting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

import numpy as np

from .functions import UNFUSED, Fused, apply_fused
from .instruction import Array, Axes, Instruction, widen


class BinaryFunction(StrEnum):
    """Functions of two operands."""

    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"
    MAXIMUM = "maximum"
    MINIMUM = "minimum"


_FUNCTIONS: dict[BinaryFunction, Callable[[Array, Array], Array]] = {
    BinaryFunction.ADD: np.add,
    BinaryFunction.SUB: np.subtract,
    BinaryFunction.MUL: np.multiply,
    BinaryFunction.DIV: np.divide,
    BinaryFunction.MAXIMUM: np.maximum,
    BinaryFunction.MINIMUM: np.minimum,
}


@dataclass(frozen=True, slots=True)
class Binary(Instruction):
    """A function of two operands that broadcast against each other. Division by zero as IEEE 754 says."""

    function: BinaryFunction
    fused: Fused = UNFUSED

    def run(self, operands: Sequence[Array]) -> Array:
        x, y = map(widen, operands)
        return apply_fused(self.fused, np.asarray(_FUNCTIONS[self.function](x, y)))

    def reordered(self, axes: Axes) -> Self:
        return self


@dataclass(frozen=True, slots=True)
class ScaleShift(Instruction):
    """``x * scale + shift`` with one rounding; ``scale`` and the optional ``shift`` broadcast against x."""

    fused: Fused = UNFUSED

    def run(self, operands: Sequence[Array]) -> Array:
        x, scale, *shift = map(widen, operands)
        out = x * scale + shift[0] if shift else x * scale
        return apply_fused(self.fused, np.asarray(out))

    def reordered(self, axes: Axes) -> Self:
        return self
