"""Quantized MatMulFusion: one matrix product of integers, bias and activation included."""

from __future__ import annotations

from ....delegate import Kernel
from ....ir.primitives import MatMulFusion
from ...device.movement import View
from ...device.quantized_matmul import QuantizedMatMul
from ...ir.builder import Builder
from ...ir.lowering import Lowering
from ...semantics.operands import operand, primitive_of, required, shape_of
from ...semantics.quantization import per_tensor
from ..op_matmul_fusion import matrix_shapes, product_shape
from ._dense import dense_requantization, zero_points_of


def lower_matmul_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the product, and a view to a scalar for two vectors."""
    primitive, out = primitive_of(kernel, MatMulFusion), kernel.outputs[0]
    a, b, bias = required(kernel, 0), required(kernel, 1), operand(kernel, 2)
    left, right = matrix_shapes(a.shape, b.shape)
    instruction = QuantizedMatMul(
        per_tensor(a).zero_point,
        zero_points_of(b),
        dense_requantization(kernel, builder, primitive.activation_type),
        primitive.transpose_a,
        primitive.transpose_b,
    )
    buffers = [builder.read_as(a, left), builder.read_as(b, right)]
    product = product_shape(kernel) or shape_of(out)
    if bias is not None:
        buffers.append(builder.read_as(bias, product[-1:]))
    result = builder.emit(instruction, buffers, product, builder.element(out.dtype))
    builder.define(out, View(shape_of(out)), [result])


LOWERING = Lowering("MatMulFusion", lower_matmul_fusion)
