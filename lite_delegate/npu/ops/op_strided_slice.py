"""StridedSlice: a slice, viewed with the axes that masks add and without those that they drop."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.primitives import StridedSlice
from ..ir.lowering import Lowering
from ..semantics.operands import int_values, operand, primitive_of, required, shape_of
from ..semantics.slicing import Cut, strided_cut
from ._slices import slices


def cuts_of(kernel: Kernel) -> list[Cut]:
    """What the output is of the input.

    Raises:
        DoesNotFit: begin, end, strides, axes and masks do not go together, or leave the input.
    """
    begin, end, third = (int_values(required(kernel, position)) for position in (1, 2, 3))
    fourth = operand(kernel, 4)
    strides, axes = (third, None) if fourth is None else (int_values(fourth), third)
    return [strided_cut(shape_of(required(kernel, 0)), primitive_of(kernel, StridedSlice), begin, end, strides, axes)]


LOWERING: Lowering = slices("StridedSlice", cuts_of)
