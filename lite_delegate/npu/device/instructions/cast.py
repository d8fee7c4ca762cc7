"""Changes of element type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Axes, Instruction
from ..programs.program import ElementType


@dataclass(frozen=True, slots=True)
class ConvertElements(Instruction):
    """The operand with another element type.

    Floats become integers by dropping the fraction; anything but zero (NaN too) becomes true; true becomes one.
    """

    element: ElementType

    def run(self, operands: Sequence[Array]) -> Array:
        return operands[0].astype(self.element.numpy)

    def reordered(self, axes: Axes) -> Self:
        return self
