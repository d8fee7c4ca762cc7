"""Split: one slice per output."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.primitives import Split
from ..ir.lowering import Lowering
from ..semantics.operands import int_values, operand, primitive_of, required, shape_of
from ..semantics.slicing import Cut, split_cuts
from ._slices import slices


def cuts_of(kernel: Kernel) -> list[Cut]:
    """What each output is of the input.

    Raises:
        DoesNotFit: the sizes do not fit the dimension, or the axis is outside.
    """
    sizes = operand(kernel, 1)
    given = None if sizes is None else int_values(sizes)
    return split_cuts(shape_of(required(kernel, 0)), primitive_of(kernel, Split), given, len(kernel.outputs))


LOWERING: Lowering = slices("Split", cuts_of)
