"""LogSoftmax: one instruction."""

from __future__ import annotations

from ...delegate import Kernel, Rejected
from ...ir.primitives import LogSoftmax
from ...semantics.operands import normalized, primitive_of, required
from ..device.instructions.reduction import LogSoftmaxAlong
from ..ir.builder import Builder
from ..profiles import Profile
from ._unary import check_unary
from .gate import check_axis, check_range
from .quantized.reals import through_reals
from .record import NpuOperator


def check_log_softmax(kernel: Kernel, profile: Profile) -> Rejected | None:
    return (
        check_unary(kernel, profile)
        or check_axis("axis", primitive_of(kernel, LogSoftmax).axis, len(required(kernel, 0).shape))
        or check_range(kernel, profile)
    )


def lower_log_softmax(kernel: Kernel, builder: Builder) -> None:
    x = required(kernel, 0)
    axis = normalized(primitive_of(kernel, LogSoftmax).axis, len(x.shape))
    builder.define(kernel.outputs[0], LogSoftmaxAlong(axis), [builder.read(x)])


OPERATOR = NpuOperator(
    "LogSoftmax",
    check_log_softmax,
    lower_log_softmax,
    takes="real",
    condition="for every axis",
    quantized=through_reals(check_log_softmax, lower_log_softmax),
)
