"""What claiming element-wise operators has in common."""

from __future__ import annotations

from ...delegate import Kernel, Rejected, Supported, SupportResult
from ...ir.enums import ActivationType
from ..broadcast import broadcast_shape
from ..operands import shape_of
from ..profiles import Profile
from ._check import SupportCheck
from .gate import check_fused, check_operands, check_output_shape, check_range, check_tensors


def check_unary(kernel: Kernel, profile: Profile) -> Rejected | None:
    """One input, and an output of its shape."""
    return (
        check_operands(kernel, 1, 1)
        or check_tensors(kernel, profile)
        or check_output_shape(kernel, kernel.inputs[0].shape)
    )


def unary(op_type: str) -> SupportCheck:
    """The check of an operator of one input without attributes."""

    def check(kernel: Kernel, profile: Profile) -> SupportResult:
        return check_unary(kernel, profile) or check_range(kernel, profile) or Supported()

    return SupportCheck(op_type, check)


def check_binary(kernel: Kernel, profile: Profile, activation: ActivationType) -> Rejected | None:
    """Two inputs that broadcast to the output.

    NOTE: MindSpore Lite's NPU takes equal ranks only, unless one operand is a scalar. Here the operand of lower
    rank is given leading ones before it is packed, so that any ranks are taken.
    """
    return (
        check_operands(kernel, 2, 2)
        or check_tensors(kernel, profile)
        or check_fused(activation)
        or check_output_shape(kernel, broadcast_shape([shape_of(t) for t in kernel.inputs]))
    )


def binary(op_type: str) -> SupportCheck:
    """The check of an operator of two inputs without attributes."""

    def check(kernel: Kernel, profile: Profile) -> SupportResult:
        refused = check_binary(kernel, profile, ActivationType.NO_ACTIVATION)
        return refused or check_range(kernel, profile) or Supported()

    return SupportCheck(op_type, check)
