"""A choice between two operands, element by element."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar, Self

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Axes, Instruction


@dataclass(frozen=True, slots=True)
class Choose(Instruction):
    """The elements of y where a bool operand is true, else the elements of z; all three broadcast. Exact."""

    arity: ClassVar[Collection[int]] = (3,)
    reads_format: ClassVar[bool] = False
    rounds: ClassVar[bool] = False

    def run(self, operands: Sequence[Array]) -> Array:
        condition, y, z = operands
        return np.asarray(np.where(condition, y, z))

    def reordered(self, axes: Axes) -> Self:
        return self
