"""Shared by quantized AddFusion and SubFusion: one sum at a common scale."""

from __future__ import annotations

from ....delegate import Kernel
from ....ir.types.enums import ActivationType
from ....semantics.operands import required
from ....semantics.quantization import per_tensor
from ...device.instructions.quantized_arithmetic import HEADROOM, QuantizedSum
from ...device.instructions.quantized_scaling import Requantization, fixed_point
from ...ir.builder import Builder
from .bounds import bounds_of


def lower_sum(kernel: Kernel, builder: Builder, activation: ActivationType, subtract: bool) -> None:
    """Emits the instruction. The common scale is ``2 * max(s_a, s_b)``, so that a sum needs no more than 31 bits."""
    a, b, out = required(kernel, 0), required(kernel, 1), kernel.outputs[0]
    left, right, target = per_tensor(a), per_tensor(b), per_tensor(out)
    common = 2 * max(left.scale, right.scale)
    requantization = Requantization(
        fixed_point([common / ((1 << HEADROOM) * target.scale)]),
        target.zero_point,
        *bounds_of(activation, target, out.dtype),
        builder.element(out.dtype),
    )
    instruction = QuantizedSum(
        (left.zero_point, right.zero_point),
        (fixed_point([left.scale / common]), fixed_point([right.scale / common])),
        requantization,
        subtract,
    )
    rank = len(out.shape)
    builder.define(out, instruction, [builder.read(a, rank), builder.read(b, rank)])
