"""ArgMaxFusion: where the largest elements along an axis lie, or what they are, or both."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.primitives import ArgMaxFusion
from ..device.instruction import Instruction
from ..device.movement import View
from ..device.selection import TopPlaces, TopValues
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.operands import normalized, primitive_of, required, shape_of


def lower_arg_max_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits one instruction for each output, and a view where the axis goes away."""
    primitive, x = primitive_of(kernel, ArgMaxFusion), required(kernel, 0)
    axis = normalized(primitive.axis, len(x.shape))
    kept = (*x.shape[:axis], primitive.top_k, *x.shape[axis + 1 :])
    places, values = TopPlaces(axis, primitive.top_k), TopValues(axis, primitive.top_k)
    instructions: tuple[Instruction, ...] = (values,) if primitive.out_max_value else (places,)
    if len(kernel.outputs) == 2:
        instructions = (places, values)
    for out, instruction in zip(kernel.outputs, instructions, strict=True):
        found = builder.emit(instruction, [builder.read(x)], kept, builder.element(out.dtype))
        if kept == shape_of(out):
            builder.alias(out, found)
        else:
            builder.define(out, View(shape_of(out)), [found])


LOWERING = Lowering("ArgMaxFusion", lower_arg_max_fusion)
