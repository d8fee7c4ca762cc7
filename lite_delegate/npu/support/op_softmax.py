"""Softmax: claimed for exactly one axis."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.primitives import Softmax
from ..profiles import Profile
from ..semantics.operands import primitive_of
from ._check import SupportCheck
from ._elementwise import check_unary
from .gate import check_axis, check_range


def check_softmax(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    axes = primitive_of(kernel, Softmax).axis
    return check_unary(kernel, profile) or _check_axes(axes, kernel) or check_range(kernel, profile) or Supported()


def _check_axes(axes: tuple[int, ...] | None, kernel: Kernel) -> Rejected | None:
    if axes is None or len(axes) != 1:
        return Rejected(RejectCode.ATTRIBUTE, f"axis must be one number, is {axes}")
    return check_axis("axis", axes[0], len(kernel.inputs[0].shape))


CHECK = SupportCheck("Softmax", check_softmax)
