"""Functions of one 8-bit integer, by table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Axes, Instruction
from ..programs.program import ElementType


@dataclass(frozen=True, slots=True)
class ByteLookup(Instruction):
    """For each element of x (INT8 or UINT8, any shape) the entry at its bits, read as an unsigned number.

    Attributes:
        entries: 256 integers; for an INT8 operand the entries of 0 to 127 come first, then the entries of -128 to -1.
        element: the element type of the result, INT8 or UINT8.
    """

    entries: tuple[int, ...]
    element: ElementType

    def run(self, operands: Sequence[Array]) -> Array:
        table = np.array(self.entries, self.element.numpy)
        return np.asarray(table.take(operands[0].view(np.uint8)))

    def reordered(self, axes: Axes) -> Self:
        return self
