"""Concat: one concatenation along the axis, wherever it lies."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.primitives import Concat
from ..device.movement import Concatenate
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.operands import normalized, primitive_of


def lower_concat(kernel: Kernel, builder: Builder) -> None:
    """Emits the concatenation."""
    out = kernel.outputs[0]
    rank = len(out.shape)
    axis = normalized(primitive_of(kernel, Concat).axis, rank)
    builder.define(out, Concatenate(axis), [builder.read(t) for t in kernel.inputs])


LOWERING = Lowering("Concat", lower_concat)
