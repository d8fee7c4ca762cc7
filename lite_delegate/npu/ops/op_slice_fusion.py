"""SliceFusion: a slice."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.primitives import SliceFusion
from ..ir.lowering import Lowering
from ..semantics.operands import int_values, primitive_of, required, shape_of
from ..semantics.slicing import Cut, slice_cut
from ._slices import slices


def cuts_of(kernel: Kernel) -> list[Cut]:
    """What the output is of the input.

    Raises:
        DoesNotFit: the box is not inside of the input.
    """
    begin, size = int_values(required(kernel, 1)), int_values(required(kernel, 2))
    return [slice_cut(shape_of(required(kernel, 0)), begin, size, primitive_of(kernel, SliceFusion).axes)]


LOWERING: Lowering = slices("SliceFusion", cuts_of)
