"""Unsqueeze: a view of the input in model order."""

from __future__ import annotations

from ...delegate import Kernel, Rejected
from ..profiles import Profile
from ._view import check_view, lower_view
from .gate import check_operands, check_range
from .quantized.movement import by_movement
from .record import NpuOperator


def check_unsqueeze(kernel: Kernel, profile: Profile) -> Rejected | None:
    return check_operands(kernel, 1, 1) or check_view(kernel, profile) or check_range(kernel, profile)


OPERATOR = NpuOperator(
    "Unsqueeze",
    check_unsqueeze,
    lower_view,
    takes="any",
    condition="for axes in the attribute",
    quantized=by_movement(check_unsqueeze, lower_view),
)
