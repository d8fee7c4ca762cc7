"""Softmax: one instruction along the axis, wherever it lies."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.primitives import Softmax
from ..compiler import Builder, LayoutRule, Lowering
from ..compiler.layout import device_axis
from ..device.reduction import SoftmaxAlong
from ..operands import normalised, primitive_of, required


def lower_softmax(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction in the layout of the input; the first axis of the list counts."""
    x, axes = required(kernel, 0), primitive_of(kernel, Softmax).axis or (-1,)
    rank = len(x.shape)
    layout = builder.follow([x], rank)
    axis = device_axis(normalised(axes[0], rank), layout, rank)
    builder.define(kernel.outputs[0], layout, SoftmaxAlong(axis), [builder.read(x, layout)])


LOWERING = Lowering("Softmax", lower_softmax, LayoutRule.FOLLOW)
