"""What claiming element-wise operators has in common."""

from __future__ import annotations

from collections.abc import Collection

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.data_type import DataType
from ...ir.enums import ActivationType
from ..profiles import Profile
from ..semantics.broadcasting import broadcast_shape
from ..semantics.operands import required, shape_of
from ._check import SupportCheck
from .gate import check_constants, check_fused, check_operands, check_output_shape, check_range, check_tensors

INTEGERS = frozenset({DataType.INT32})
"""What operators take that are exact on integers, beside real numbers."""
ANY = frozenset({DataType.INT32, DataType.BOOL})


def check_unary(kernel: Kernel, profile: Profile, more_dtypes: Collection[DataType] = ()) -> Rejected | None:
    """One input, and an output of its shape and kind."""
    return (
        check_operands(kernel, 1, 1)
        or check_tensors(kernel, profile, more_dtypes=more_dtypes)
        or check_output_shape(kernel, kernel.inputs[0].shape)
    )


def unary(op_type: str, more_dtypes: Collection[DataType] = ()) -> SupportCheck:
    """The check of an operator of one input without attributes."""

    def check(kernel: Kernel, profile: Profile) -> SupportResult:
        return check_unary(kernel, profile, more_dtypes) or check_range(kernel, profile) or Supported()

    return SupportCheck(op_type, check)


def check_binary(
    kernel: Kernel,
    profile: Profile,
    activation: ActivationType = ActivationType.NO_ACTIVATION,
    more_dtypes: Collection[DataType] = INTEGERS,
) -> Rejected | None:
    """Two inputs of one kind that broadcast to the output, which is of that kind too."""
    return (
        check_operands(kernel, 2, 2)
        or check_tensors(kernel, profile, more_dtypes=more_dtypes)
        or check_fused(activation)
        or check_broadcast(kernel)
    )


def check_broadcast(kernel: Kernel) -> Rejected | None:
    """The inputs broadcast to the output. The one of lower rank is given leading ones, so that any ranks are taken."""
    return check_output_shape(kernel, broadcast_shape([shape_of(t) for t in kernel.inputs]))


def check_ranks(kernel: Kernel, profile: Profile) -> Rejected | None:
    """Where the profile wants it, both inputs have one rank, or one of them is a scalar."""
    ranks = [len(required(kernel, i).shape) for i in (0, 1)]
    if not profile.limits.arithmetic_equal_ranks or ranks[0] == ranks[1] or 0 in ranks:
        return None
    return Rejected(
        RejectCode.RANK, f"inputs must have equal ranks unless one is a scalar, have {ranks[0]}, {ranks[1]}"
    )


def check_divisor(kernel: Kernel) -> Rejected | None:
    """An integer divisor is a constant without zeros: the device has no way to report a division by zero."""
    divisor = required(kernel, 1)
    if divisor.dtype not in INTEGERS:
        return None
    rejected = check_constants(kernel, {1: "an integer divisor"})
    if rejected is not None or divisor.data.all():
        return rejected
    return Rejected(RejectCode.ATTRIBUTE, "an integer divisor (input 1) must have no zero, has one")


def binary(op_type: str, more_dtypes: Collection[DataType] = INTEGERS) -> SupportCheck:
    """The check of an operator of two inputs without attributes."""

    def check(kernel: Kernel, profile: Profile) -> SupportResult:
        return (
            check_binary(kernel, profile, more_dtypes=more_dtypes)
            or check_ranks(kernel, profile)
            or check_range(kernel, profile)
            or Supported()
        )

    return SupportCheck(op_type, check)
