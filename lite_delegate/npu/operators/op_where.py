"""Where: a choice between two operands."""

from __future__ import annotations

from ._choice import check_choice, lower_choice
from .record import NpuOperator

OPERATOR = NpuOperator(
    "Where",
    check_choice,
    lower_choice,
    takes="any; a bool condition",
    condition="with three inputs that broadcast to the output",
)
