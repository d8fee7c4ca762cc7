"""Stack: the inputs, each viewed with a new axis of 1, one after another along it."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.primitives import Stack
from ..device.movement import Concatenate
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.operands import normalized, primitive_of, shape_of


def lower_stack(kernel: Kernel, builder: Builder) -> None:
    """Emits the concatenation."""
    out = kernel.outputs[0]
    axis = normalized(primitive_of(kernel, Stack).axis, len(out.shape))
    wide = (*shape_of(out)[:axis], 1, *shape_of(out)[axis + 1 :])
    builder.define(out, Concatenate(axis), [builder.read_as(t, wide) for t in kernel.inputs])


LOWERING = Lowering("Stack", lower_stack)
