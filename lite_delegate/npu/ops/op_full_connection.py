"""FullConnection: the input flattened to a matrix, times the transposed weight, with bias and activation."""

from __future__ import annotations

import math

from ...delegate import Kernel
from ...ir.primitives import FullConnection
from ..device.matmul import MatMul
from ..device.movement import View
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.activations import fused_or_none
from ..semantics.operands import primitive_of, required, shape_of


def lower_full_connection(kernel: Kernel, builder: Builder) -> None:
    """Emits view, product, and a view to an output of more than two dimensions."""
    primitive = primitive_of(kernel, FullConnection)
    x, weight, out = required(kernel, 0), required(kernel, 1), kernel.outputs[0]
    terms, units = weight.shape[1], weight.shape[0]
    rows = math.prod(x.shape) // terms
    matrix = builder.emit(View((rows, terms)), [builder.read(x)], (rows, terms))
    buffers = [matrix, builder.read(weight)]
    if primitive.has_bias:
        buffers.append(builder.read(required(kernel, 2)))
    instruction = MatMul(transpose_b=True, fused=fused_or_none(primitive.activation_type))
    product = builder.emit(instruction, buffers, (rows, units))
    builder.define(out, View(shape_of(out)), [product])


LOWERING = Lowering("FullConnection", lower_full_connection)
