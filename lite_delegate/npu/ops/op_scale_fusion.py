"""ScaleFusion: scale and shift along some axes, in one instruction."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.primitives import ScaleFusion
from ..device.binary import ScaleShift
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.activations import FUSED
from ..semantics.operands import normalized, primitive_of, required, shape_of


def lower_scale_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction; scale and offset are laid along x's axes from ``axis`` on."""
    primitive, x = primitive_of(kernel, ScaleFusion), required(kernel, 0)
    rank = len(x.shape)
    axis = normalized(primitive.axis, rank)
    buffers = [builder.read(x)]
    for vector in kernel.inputs[1:]:
        shape = (1,) * axis + shape_of(vector) + (1,) * (rank - axis - len(vector.shape))
        buffers.append(builder.read_as(vector, shape))
    builder.define(kernel.outputs[0], ScaleShift(FUSED[primitive.activation_type]), buffers)


LOWERING = Lowering("ScaleFusion", lower_scale_fusion)
