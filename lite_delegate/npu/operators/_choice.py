"""Shared by operators that choose between two operands: one instruction."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.types.data_type import DataType
from ...semantics.broadcasting import broadcast_shape
from ...semantics.operands import required, shape_of
from ..device.instructions.choice import Choose
from ..ir.builder import Builder
from ..profiles import Profile
from .gate import MOVABLE, check_operands, check_output_shape, check_range, check_tensors


def check_choice(kernel: Kernel, profile: Profile) -> Rejected | None:
    """A bool condition and two operands of one kind, which broadcast to the output."""
    return (
        check_operands(kernel, 3, 3)
        or check_tensors(kernel, profile, positions=(0,), more_dtypes=MOVABLE, mixed=True)
        or _check_condition(kernel)
        or check_tensors(kernel, profile, positions=(1, 2), more_dtypes=MOVABLE)
        or check_output_shape(kernel, broadcast_shape([shape_of(t) for t in kernel.inputs]))
        or check_range(kernel, profile)
    )


def _check_condition(kernel: Kernel) -> Rejected | None:
    dtype = required(kernel, 0).dtype
    if dtype == DataType.BOOL:
        return None
    return Rejected.by_rule(RejectCode.DTYPE, "the condition (input 0) must be BOOL", f"is {dtype.name}", dtype)


def lower_choice(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction on operands of the output's rank."""
    out = kernel.outputs[0]
    rank = len(out.shape)
    builder.define(out, Choose(), [builder.read(required(kernel, i), rank) for i in range(3)])
