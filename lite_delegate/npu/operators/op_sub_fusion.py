"""SubFusion: one binary instruction with its activation."""

from __future__ import annotations

from ...delegate import Kernel, Rejected
from ...ir.primitives import SubFusion
from ...semantics.operands import primitive_of
from ..device.instructions.binary import BinaryFunction
from ..ir.builder import Builder
from ..profiles import Profile
from ._binary import check_binary, check_ranks, lower_binary
from .gate import check_range
from .quantized.stored import check_stored
from .quantized.sums import lower_sum
from .record import Form, NpuOperator


def check_sub_fusion(kernel: Kernel, profile: Profile) -> Rejected | None:
    activation = primitive_of(kernel, SubFusion).activation_type
    return check_binary(kernel, profile, activation) or check_ranks(kernel, profile) or check_range(kernel, profile)


def lower_sub_fusion(kernel: Kernel, builder: Builder) -> None:
    lower_binary(kernel, builder, BinaryFunction.SUB, primitive_of(kernel, SubFusion).activation_type)


def check_quantized(kernel: Kernel, profile: Profile) -> Rejected | None:
    return check_stored(kernel, profile, check_sub_fusion, primitive_of(kernel, SubFusion).activation_type)


def lower_quantized(kernel: Kernel, builder: Builder) -> None:
    lower_sum(kernel, builder, primitive_of(kernel, SubFusion).activation_type, subtract=True)


OPERATOR = NpuOperator(
    "SubFusion",
    check_sub_fusion,
    lower_sub_fusion,
    takes="real, int32",
    condition="where the inputs broadcast to the output; no activation, RELU or RELU6 fused",
    limits=("arithmetic_equal_ranks",),
    quantized=Form(check_quantized, lower_quantized),
)
