"""Select: a choice between two operands of one shape."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected
from ...semantics.operands import required
from ..profiles import Profile
from ._choice import check_choice, lower_choice
from .record import NpuOperator


def check_select(kernel: Kernel, profile: Profile) -> Rejected | None:
    """One pair of operands, and a condition for each of their elements."""
    return check_choice(kernel, profile) or _check_shapes(kernel)


def _check_shapes(kernel: Kernel) -> Rejected | None:
    shapes = [required(kernel, i).shape for i in range(3)]
    if shapes[0] == shapes[1] == shapes[2]:
        return None
    return Rejected.by_rule(RejectCode.SHAPE, "condition and operands must have one shape", f"have {shapes}")


OPERATOR = NpuOperator(
    "Select",
    check_select,
    lower_choice,
    takes="any; a bool condition",
    condition="for one pair of operands that have the condition's shape",
)
