"""Pads: a border around a tensor. Exact."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Self

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Axes, Shape
from ..programs.shapes import check_each
from .movement import MovementInstruction
from .slicing import unpermuted


class Border(StrEnum):
    """The contents of a border: one value, the inside mirrored at its outermost elements, or mirrored with them."""

    CONSTANT = "constant"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


@dataclass(frozen=True, slots=True)
class Pad(MovementInstruction):
    """The operand with ``before[a]`` positions in front of axis a and ``after[a]`` behind it.

    Attributes:
        before: positions in front, >= 0; with REFLECT less than the axis has, with SYMMETRIC as many at most.
        after: positions behind, likewise.
        border: the contents of the added positions.
        value: the value of a CONSTANT border, rounded to the operand's element type; a whole number for integers.
    """

    before: Axes
    after: Axes
    border: Border = Border.CONSTANT
    value: float = 0.0

    def run(self, operands: Sequence[Array]) -> Array:
        (x,) = operands
        widths = list(zip(self.before, self.after, strict=True))
        if self.border is Border.CONSTANT:
            return np.pad(x, widths, constant_values=x.dtype.type(self.value))
        return np.pad(x, widths, mode="reflect" if self.border is Border.REFLECT else "symmetric")

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        (x,) = operands
        check_each(self.before, x, 0)
        check_each(self.after, x, 0)
        return tuple(map(sum, zip(self.before, x, self.after, strict=True)))

    def reordered(self, axes: Axes) -> Self:
        return type(self)(unpermuted(self.before, axes), unpermuted(self.after, axes), self.border, self.value)
