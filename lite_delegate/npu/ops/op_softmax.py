"""Softmax: one instruction along the axis, wherever it lies."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.primitives import Softmax
from ..device.reduction import SoftmaxAlong
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.operands import normalized, primitive_of, required


def lower_softmax(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction; the first axis of the list counts."""
    x, axes = required(kernel, 0), primitive_of(kernel, Softmax).axis or (-1,)
    rank = len(x.shape)
    axis = normalized(axes[0], rank)
    builder.define(kernel.outputs[0], SoftmaxAlong(axis), [builder.read(x)])


LOWERING = Lowering("Softmax", lower_softmax)
