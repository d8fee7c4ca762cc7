"""Quantised MatMulFusion: one matrix product of integers, bias and activation included."""

from __future__ import annotations

from ....delegate import Kernel
from ....ir.primitives import MatMulFusion
from ...compiler import Builder, Lowering
from ...device.quantised_matmul import QuantisedMatMul
from ...operands import primitive_of, required
from ...quantisation import per_tensor
from ._dense import dense_requantisation, zero_points_of


def lower_matmul_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the product."""
    primitive = primitive_of(kernel, MatMulFusion)
    instruction = QuantisedMatMul(
        per_tensor(required(kernel, 0)).zero_point,
        zero_points_of(required(kernel, 1)),
        dense_requantisation(kernel, builder, primitive.activation_type),
        primitive.transpose_a,
        primitive.transpose_b,
    )
    builder.define(kernel.outputs[0], instruction, [builder.read(t) for t in kernel.inputs])


LOWERING = Lowering("MatMulFusion", lower_matmul_fusion)
