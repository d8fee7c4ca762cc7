"""LRN: local response normalization across channels."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import LRN
from ...semantics.operands import primitive_of, required
from ..device.instructions.local_response import LocalResponse
from ..ir.builder import Builder
from ..profiles import Profile
from ._unary import check_unary
from .gate import check_range
from .quantized.reals import through_reals
from .record import NpuOperator

REGIONS = (None, "", "ACROSS_CHANNELS")
"""Names of the only region; None and "" stand for it."""


def check_lrn(kernel: Kernel, profile: Profile) -> Rejected | None:
    return (
        check_unary(kernel, profile)
        or _check_attributes(kernel, primitive_of(kernel, LRN))
        or check_range(kernel, profile)
    )


def _check_attributes(kernel: Kernel, primitive: LRN) -> Rejected | None:
    if not required(kernel, 0).shape:
        return Rejected.by_rule(RejectCode.RANK, "input 0 must have a channel axis", "is a scalar")
    if primitive.depth_radius < 0:
        return Rejected.by_rule(RejectCode.ATTRIBUTE, "depth_radius must be >= 0", f"is {primitive.depth_radius}")
    if primitive.norm_region not in REGIONS:
        return Rejected.by_rule(
            RejectCode.ATTRIBUTE, "norm_region must be ACROSS_CHANNELS", f"is {primitive.norm_region}"
        )
    return None


def lower_lrn(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction. Channels are the last model axis."""
    primitive, x = primitive_of(kernel, LRN), required(kernel, 0)
    axis = len(x.shape) - 1
    instruction = LocalResponse(axis, primitive.depth_radius, primitive.bias, primitive.alpha, primitive.beta)
    builder.define(kernel.outputs[0], instruction, [builder.read(x)])


OPERATOR = NpuOperator(
    "LRN",
    check_lrn,
    lower_lrn,
    takes="real",
    condition="across channels, with depth_radius from 0 on",
    quantized=through_reals(check_lrn, lower_lrn),
)
