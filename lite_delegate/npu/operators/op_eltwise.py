"""Eltwise: one binary instruction, product, sum or maximum."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import Eltwise
from ...ir.types.enums import ActivationType, EltwiseMode
from ...semantics.operands import primitive_of
from ..device.instructions.binary import BinaryFunction
from ..ir.builder import Builder
from ..profiles import Profile
from ._binary import check_binary, lower_binary
from .gate import check_range
from .quantized.reals import through_reals
from .record import NpuOperator

MODES: dict[EltwiseMode, BinaryFunction] = {
    EltwiseMode.PROD: BinaryFunction.MUL,
    EltwiseMode.SUM: BinaryFunction.ADD,
    EltwiseMode.MAXIMUM: BinaryFunction.MAXIMUM,
}


def check_eltwise(kernel: Kernel, profile: Profile) -> Rejected | None:
    """NOTE: MindSpore Lite's NPU takes UNKNOWN as a sum."""
    return (
        check_binary(kernel, profile) or _check_mode(primitive_of(kernel, Eltwise).mode) or check_range(kernel, profile)
    )


def _check_mode(mode: EltwiseMode) -> Rejected | None:
    if mode != EltwiseMode.UNKNOWN:
        return None
    return Rejected.by_rule(RejectCode.ATTRIBUTE, "mode must be PROD, SUM or MAXIMUM", "is UNKNOWN")


def lower_eltwise(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction for the mode."""
    lower_binary(kernel, builder, MODES[primitive_of(kernel, Eltwise).mode], ActivationType.NO_ACTIVATION)


OPERATOR = NpuOperator(
    "Eltwise",
    check_eltwise,
    lower_eltwise,
    takes="real, int32",
    condition="for PROD, SUM and MAXIMUM of two inputs that broadcast to the output",
    quantized=through_reals(check_eltwise, lower_eltwise),
)
