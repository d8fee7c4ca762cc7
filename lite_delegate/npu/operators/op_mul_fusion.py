"""MulFusion: one binary instruction with its activation."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import MulFusion
from ...semantics.operands import primitive_of, required
from ...semantics.quantization import per_tensor
from ..device.instructions.binary import BinaryFunction
from ..device.instructions.quantized_arithmetic import QuantizedProduct
from ..device.instructions.quantized_scaling import Requantization, fixed_point
from ..ir.builder import Builder
from ..profiles import Profile
from ._binary import check_binary, lower_binary
from .gate import check_range
from .quantized.bounds import bounds_of
from .quantized.stored import check_stored
from .record import Form, NpuOperator


def check_mul_fusion(kernel: Kernel, profile: Profile) -> Rejected | None:
    activation = primitive_of(kernel, MulFusion).activation_type
    return (
        check_binary(kernel, profile, activation)
        or _check_area(kernel, profile.limits.mul_broadcast_max_area)
        or check_range(kernel, profile)
    )


def _check_area(kernel: Kernel, limit: int | None) -> Rejected | None:
    """A rank-4 product that has the shape of neither factor is small enough."""
    out = kernel.outputs[0].shape
    if limit is None or len(out) != 4 or out in [t.shape for t in kernel.inputs] or out[1] * out[2] <= limit:
        return None
    area = out[1] * out[2]
    return Rejected.by_rule(
        RejectCode.LIMIT, f"height * width may be {limit} at most when both factors are broadcast", f"is {area}"
    )


def lower_mul_fusion(kernel: Kernel, builder: Builder) -> None:
    lower_binary(kernel, builder, BinaryFunction.MUL, primitive_of(kernel, MulFusion).activation_type)


def check_quantized(kernel: Kernel, profile: Profile) -> Rejected | None:
    return check_stored(kernel, profile, check_mul_fusion, primitive_of(kernel, MulFusion).activation_type)


def lower_quantized(kernel: Kernel, builder: Builder) -> None:
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


OPERATOR = NpuOperator(
    "MulFusion",
    check_mul_fusion,
    lower_mul_fusion,
    takes="real, int32",
    condition="where the inputs broadcast to the output; no activation, RELU or RELU6 fused",
    limits=("mul_broadcast_max_area",),
    quantized=Form(check_quantized, lower_quantized),
)
