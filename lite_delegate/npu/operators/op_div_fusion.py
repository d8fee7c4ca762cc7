"""DivFusion: one binary instruction with its activation."""

from __future__ import annotations

from ...delegate import Kernel, Rejected
from ...ir.primitives import DivFusion
from ...semantics.operands import primitive_of
from ..device.instructions.binary import BinaryFunction
from ..ir.builder import Builder
from ..profiles import Profile
from ._binary import check_binary, check_divisor, check_ranks, lower_binary
from .gate import check_range
from .quantized.reals import through_reals
from .record import NpuOperator


def check_div_fusion(kernel: Kernel, profile: Profile) -> Rejected | None:
    activation = primitive_of(kernel, DivFusion).activation_type
    return (
        check_binary(kernel, profile, activation)
        or check_ranks(kernel, profile)
        or check_divisor(kernel)
        or check_range(kernel, profile)
    )


def lower_div_fusion(kernel: Kernel, builder: Builder) -> None:
    lower_binary(kernel, builder, BinaryFunction.DIV, primitive_of(kernel, DivFusion).activation_type)


OPERATOR = NpuOperator(
    "DivFusion",
    check_div_fusion,
    lower_div_fusion,
    takes="real, int32",
    condition=(
        "where the inputs broadcast to the output; no activation, RELU or RELU6 fused; an int32 "
        "divisor is a constant without zero"
    ),
    limits=("arithmetic_equal_ranks",),
    quantized=through_reals(check_div_fusion, lower_div_fusion),
)
