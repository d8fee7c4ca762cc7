"""Softmax: one instruction along the axis, wherever it lies."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import Softmax
from ...semantics.operands import normalized, primitive_of, required
from ..device.instructions.reduction import SoftmaxAlong
from ..ir.builder import Builder
from ..profiles import Profile
from ._unary import check_unary
from .gate import check_axis, check_range
from .quantized.reals import through_reals
from .record import NpuOperator


def check_softmax(kernel: Kernel, profile: Profile) -> Rejected | None:
    axes = primitive_of(kernel, Softmax).axis
    return check_unary(kernel, profile) or _check_axes(axes, kernel) or check_range(kernel, profile)


def _check_axes(axes: tuple[int, ...] | None, kernel: Kernel) -> Rejected | None:
    if axes is None or len(axes) != 1:
        return Rejected.by_rule(RejectCode.ATTRIBUTE, "axis must be one number", f"is {axes}")
    return check_axis("axis", axes[0], len(kernel.inputs[0].shape))


def lower_softmax(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction; the first axis of the list counts."""
    x, axes = required(kernel, 0), primitive_of(kernel, Softmax).axis or (-1,)
    rank = len(x.shape)
    axis = normalized(axes[0], rank)
    builder.define(kernel.outputs[0], SoftmaxAlong(axis), [builder.read(x)])


OPERATOR = NpuOperator(
    "Softmax",
    check_softmax,
    lower_softmax,
    takes="real",
    condition="for exactly one axis",
    quantized=through_reals(check_softmax, lower_softmax),
)
