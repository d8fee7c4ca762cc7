"""LRN: local response normalization across channels."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.primitives import LRN
from ..device.local_response import LocalResponse
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.operands import primitive_of, required


def lower_lrn(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction. Channels are the last model axis."""
    primitive, x = primitive_of(kernel, LRN), required(kernel, 0)
    axis = len(x.shape) - 1
    instruction = LocalResponse(axis, primitive.depth_radius, primitive.bias, primitive.alpha, primitive.beta)
    builder.define(kernel.outputs[0], instruction, [builder.read(x)])


LOWERING = Lowering("LRN", lower_lrn)
