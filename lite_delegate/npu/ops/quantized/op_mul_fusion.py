"""Quantized MulFusion: a product of centered integers, requantized."""

from __future__ import annotations

from ....delegate import Kernel
from ....ir.primitives import MulFusion
from ...device.quantized_arithmetic import QuantizedProduct
from ...device.quantized_scaling import Requantization, fixed_point
from ...ir.builder import Builder
from ...ir.lowering import Lowering
from ...semantics.operands import primitive_of, required
from ...semantics.quantization import per_tensor
from .bounds import bounds_of


def lower_mul_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the product."""
    a, b, out = required(kernel, 0), required(kernel, 1), kernel.outputs[0]
    left, right, target = per_tensor(a), per_tensor(b), per_tensor(out)
    requantization = Requantization(
        fixed_point([left.scale * right.scale / target.scale]),
        target.zero_point,
        *bounds_of(primitive_of(kernel, MulFusion).activation_type, target, out.dtype),
        builder.element(out.dtype),
    )
    rank = len(out.shape)
    instruction = QuantizedProduct((left.zero_point, right.zero_point), requantization)
    builder.define(out, instruction, [builder.read(a, rank), builder.read(b, rank)])


LOWERING = Lowering("MulFusion", lower_mul_fusion)
