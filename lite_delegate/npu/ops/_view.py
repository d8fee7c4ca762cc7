"""What lowering operators that only change the shape has in common."""

from __future__ import annotations

from ...delegate import Kernel
from ..device.movement import View
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.operands import required, shape_of


def view(op_type: str) -> Lowering:
    """The lowering of an operator that keeps the elements in model order under another shape."""

    def lower(kernel: Kernel, builder: Builder) -> None:
        out = kernel.outputs[0]
        builder.define(out, View(shape_of(out)), [builder.read(required(kernel, 0))])

    return Lowering(op_type, lower)
