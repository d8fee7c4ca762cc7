"""MatMulFusion: one matrix product with bias and activation."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.primitives import MatMulFusion
from ..activations import FUSED
from ..compiler import Builder, Lowering
from ..device.matmul import MatMul
from ..operands import primitive_of


def lower_matmul_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the product."""
    primitive = primitive_of(kernel, MatMulFusion)
    instruction = MatMul(primitive.transpose_a, primitive.transpose_b, FUSED[primitive.activation_type])
    buffers = [builder.read(t) for t in kernel.inputs]
    builder.define(kernel.outputs[0], instruction, buffers)


LOWERING = Lowering("MatMulFusion", lower_matmul_fusion)
