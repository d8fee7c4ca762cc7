"""Flatten: a view of the input in model order."""

from __future__ import annotations

import math

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import Flatten
from ...semantics.operands import primitive_of
from ..profiles import Profile
from ._view import check_view, lower_view
from .gate import check_operands, check_output_shape, check_range
from .quantized.movement import by_movement
from .record import NpuOperator


def check_flatten(kernel: Kernel, profile: Profile) -> Rejected | None:
    return (
        check_operands(kernel, 1, 1)
        or check_view(kernel, profile)
        or _check_axis(kernel, primitive_of(kernel, Flatten).axis)
        or check_range(kernel, profile)
    )


def _check_axis(kernel: Kernel, axis: int) -> Rejected | None:
    shape = kernel.inputs[0].shape
    if not 0 <= axis <= len(shape):
        reason = f"axis must be in [0, {len(shape)}], is {axis}"
        return Rejected(RejectCode.ATTRIBUTE, reason, "axis must be inside the rank")
    return check_output_shape(kernel, (math.prod(shape[:axis]), math.prod(shape[axis:])))


OPERATOR = NpuOperator(
    "Flatten",
    check_flatten,
    lower_view,
    takes="any",
    condition="for an axis from 0 to the rank",
    quantized=by_movement(check_flatten, lower_view),
)
