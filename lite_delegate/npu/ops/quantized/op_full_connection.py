"""Quantized FullConnection: the input flattened to a matrix, times the transposed weight, bias and activation."""

from __future__ import annotations

import math

from ....delegate import Kernel
from ....ir.primitives import FullConnection
from ...device.movement import View
from ...device.quantized_matmul import QuantizedMatMul
from ...ir.builder import Builder
from ...ir.lowering import Lowering
from ...semantics.operands import primitive_of, required, shape_of
from ...semantics.quantization import per_tensor
from ._dense import dense_requantization, zero_points_of


def lower_full_connection(kernel: Kernel, builder: Builder) -> None:
    """Emits view, product, and a view to the output's shape."""
    primitive = primitive_of(kernel, FullConnection)
    x, weight, out = required(kernel, 0), required(kernel, 1), kernel.outputs[0]
    units, terms = weight.shape
    rows = math.prod(x.shape) // terms
    matrix = builder.emit(View((rows, terms)), [builder.read(x)], (rows, terms), builder.element(x.dtype))
    buffers = [matrix, builder.read(weight)]
    if primitive.has_bias:
        buffers.append(builder.read(required(kernel, 2)))
    requantization = dense_requantization(kernel, builder, primitive.activation_type)
    instruction = QuantizedMatMul(per_tensor(x).zero_point, zero_points_of(weight), requantization, transpose_b=True)
    product = builder.emit(instruction, buffers, (rows, units), builder.element(out.dtype))
    builder.define(out, View(shape_of(out)), [product])


LOWERING = Lowering("FullConnection", lower_full_connection)
