"""Unstack: a slice per position of the axis, viewed without it."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.primitives import Unstack
from ..ir.lowering import Lowering
from ..semantics.operands import primitive_of, required, shape_of
from ..semantics.slicing import Cut, unstack_cuts
from ._slices import slices


def cuts_of(kernel: Kernel) -> list[Cut]:
    """What each output is of the input.

    Raises:
        DoesNotFit: the axis is outside, or its dimension is not the number of outputs.
    """
    axis = primitive_of(kernel, Unstack).axis
    return unstack_cuts(shape_of(required(kernel, 0)), axis, len(kernel.outputs))


LOWERING: Lowering = slices("Unstack", cuts_of)
