"""Shared by operators without attributes that compute one function of two numbers, or of two truth values."""

from __future__ import annotations

from ...delegate import Kernel, Rejected
from ...ir.types.enums import ActivationType
from ...semantics.operands import required
from ..device.instructions.binary import BinaryFunction
from ..device.instructions.logic import Logical, LogicalFunction
from ..ir.builder import Builder
from ..profiles import Profile
from ._binary import check_binary, check_divisor, check_ranks, lower_binary, lower_pair
from ._unary import check_unary
from .gate import WHOLE, check_range
from .quantized.reals import through_reals
from .record import NpuOperator

LIMITS = ("arithmetic_equal_ranks",)
BROADCAST = "where the inputs broadcast to the output"
TRUTH = "a number is true when it is not 0, and results in numbers are 1 and 0"


def arithmetic(op_type: str, function: BinaryFunction, *, divides: bool = False) -> NpuOperator:
    """One function of two numbers; ``divides``: by the second, which is checked, and has no quantized form."""

    def check(kernel: Kernel, profile: Profile) -> Rejected | None:
        return (
            check_binary(kernel, profile)
            or check_ranks(kernel, profile)
            or (check_divisor(kernel) if divides else None)
            or check_range(kernel, profile)
        )

    def lower(kernel: Kernel, builder: Builder) -> None:
        lower_binary(kernel, builder, function, ActivationType.NO_ACTIVATION)

    condition = f"{BROADCAST}; an int32 divisor is a constant without zero" if divides else BROADCAST
    quantized = None if divides else through_reals(check, lower)
    return NpuOperator(op_type, check, lower, "real, int32", condition, LIMITS, quantized)


def logical(op_type: str, function: LogicalFunction) -> NpuOperator:
    """One function of two truth values."""

    def check(kernel: Kernel, profile: Profile) -> Rejected | None:
        return (
            check_binary(kernel, profile, more_dtypes=WHOLE)
            or check_ranks(kernel, profile)
            or check_range(kernel, profile)
        )

    def lower(kernel: Kernel, builder: Builder) -> None:
        lower_pair(kernel, builder, Logical(function))

    condition = f"{BROADCAST}; {TRUTH}"
    return NpuOperator(op_type, check, lower, "bool, real, int32", condition, LIMITS)


def negation(op_type: str) -> NpuOperator:
    """The other truth value."""

    def check(kernel: Kernel, profile: Profile) -> Rejected | None:
        return check_unary(kernel, profile, WHOLE) or check_range(kernel, profile)

    def lower(kernel: Kernel, builder: Builder) -> None:
        builder.define(kernel.outputs[0], Logical(LogicalFunction.NOT), [builder.read(required(kernel, 0))])

    return NpuOperator(op_type, check, lower, "bool, real, int32", f"for one input; {TRUTH}")
