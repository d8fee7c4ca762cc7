"""Concat: one concatenation along the axis, wherever it lies."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.primitives import Concat
from ..compiler import Builder, LayoutRule, Lowering
from ..compiler.layout import device_axis
from ..device.movement import Concatenate
from ..operands import normalised, primitive_of


def lower_concat(kernel: Kernel, builder: Builder) -> None:
    """Emits the concatenation in the layout of the inputs, packed when one of them is."""
    out = kernel.outputs[0]
    rank = len(out.shape)
    layout = builder.follow(kernel.inputs, rank)
    axis = device_axis(normalised(primitive_of(kernel, Concat).axis, rank), layout, rank)
    builder.define(out, layout, Concatenate(axis), [builder.read(t, layout) for t in kernel.inputs])


LOWERING = Lowering("Concat", lower_concat, LayoutRule.FOLLOW)
