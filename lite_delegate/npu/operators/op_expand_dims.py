"""ExpandDims: a view of the input in model order."""

from __future__ import annotations

from ...delegate import Kernel, Rejected
from ..profiles import Profile
from ._view import check_view, lower_view
from .gate import check_constants, check_operands, check_range
from .quantized.movement import by_movement
from .record import NpuOperator


def check_expand_dims(kernel: Kernel, profile: Profile) -> Rejected | None:
    return (
        check_operands(kernel, 2, 2)
        or check_view(kernel, profile)
        or check_constants(kernel, {1: "axis"})
        or check_range(kernel, profile)
    )


OPERATOR = NpuOperator(
    "ExpandDims",
    check_expand_dims,
    lower_view,
    takes="any",
    condition="for a constant axis",
    quantized=by_movement(check_expand_dims, lower_view),
)
