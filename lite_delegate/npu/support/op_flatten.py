"""Flatten: claimed for axes from 0 on; the output has two dimensions."""

from __future__ import annotations

import math

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.primitives import Flatten
from ..profiles import Profile
from ..semantics.operands import primitive_of
from ._check import SupportCheck
from ._view import check_view
from .gate import check_operands, check_output_shape, check_range


def check_flatten(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return (
        check_operands(kernel, 1, 1)
        or check_view(kernel, profile)
        or _check_axis(kernel, primitive_of(kernel, Flatten).axis)
        or check_range(kernel, profile)
        or Supported()
    )


def _check_axis(kernel: Kernel, axis: int) -> Rejected | None:
    shape = kernel.inputs[0].shape
    if not 0 <= axis <= len(shape):
        return Rejected(RejectCode.ATTRIBUTE, f"axis must be in [0, {len(shape)}], is {axis}")
    return check_output_shape(kernel, (math.prod(shape[:axis]), math.prod(shape[axis:])))


CHECK = SupportCheck("Flatten", check_flatten)
