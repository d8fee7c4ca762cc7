"""Borders of PadFusion: what they are filled with."""

from __future__ import annotations

from ..delegate import Kernel
from ..ir.primitives import PadFusion
from .operands import operand, primitive_of


def border_value(kernel: Kernel) -> float:
    """The value of the borders of a PadFusion of mode CONSTANT: the third input, of one value, or else the attribute.

    Args:
        kernel: whose third input is a constant, or absent.
    """
    given = operand(kernel, 2)
    value: float = primitive_of(kernel, PadFusion).constant_value if given is None else given.data.item()
    return value
