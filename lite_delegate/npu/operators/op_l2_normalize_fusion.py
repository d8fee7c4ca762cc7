"""L2NormalizeFusion: normalization to length one along some axes."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import L2NormalizeFusion
from ...semantics.operands import normalized, primitive_of, required
from ..device.instructions.length import NormalizeLength
from ..ir.builder import Builder
from ..profiles import OperatorLimits, Profile
from ..semantics.activations import fused_or_none
from ._moments import check_epsilon
from ._unary import check_unary
from .gate import check_axis, check_range
from .quantized.reals import through_reals
from .record import NpuOperator

USUAL_EPSILON = 1e-6
"""The meaning of an ``epsilon`` that is not above 0: none is given."""


def check_l2_normalize_fusion(kernel: Kernel, profile: Profile) -> Rejected | None:
    """Fused activations other than RELU and RELU6 count as none, on the CPU as here."""
    primitive = primitive_of(kernel, L2NormalizeFusion)
    return (
        check_unary(kernel, profile)
        or _check_axes(kernel, primitive, profile.limits)
        or check_epsilon(primitive.epsilon, profile.limits.l2_normalize_epsilon)
        or check_range(kernel, profile)
    )


def _check_axes(kernel: Kernel, primitive: L2NormalizeFusion, limits: OperatorLimits) -> Rejected | None:
    rank = len(required(kernel, 0).shape)
    rejections = (check_axis("each axis", axis, rank) for axis in primitive.axis or ())
    rejected = next((r for r in rejections if r is not None), None)
    if rejected is not None:
        return rejected
    axes = length_axes(primitive, rank)
    if len(set(axes)) != len(axes):
        return Rejected.by_rule(
            RejectCode.ATTRIBUTE, "axis must name each axis once", f"is {list(primitive.axis or ())}"
        )
    if limits.l2_normalize_channels_only and axes != (rank - 1,):
        reason = f"axis must be the last one, {rank - 1}, alone, is {list(axes)}"
        return Rejected(RejectCode.LIMIT, reason, "axis must be the last one alone")
    return None


def length_axes(primitive: L2NormalizeFusion, rank: int) -> tuple[int, ...]:
    """The axes along which squares are summed, non-negative and ascending; all when none are given."""
    return tuple(sorted(normalized(axis, rank) for axis in primitive.axis or ())) or tuple(range(rank))


def lower_l2_normalize_fusion(kernel: Kernel, builder: Builder) -> None:
    primitive, x = primitive_of(kernel, L2NormalizeFusion), required(kernel, 0)
    least = primitive.epsilon if primitive.epsilon > 0 else USUAL_EPSILON
    fused = fused_or_none(primitive.activation_type)
    instruction = NormalizeLength(length_axes(primitive, len(x.shape)), least, fused)
    builder.define(kernel.outputs[0], instruction, [builder.read(x)])


OPERATOR = NpuOperator(
    "L2NormalizeFusion",
    check_l2_normalize_fusion,
    lower_l2_normalize_fusion,
    takes="real",
    condition=(
        "along any axes, each named once; other fused activations than RELU and RELU6 count as none, as on the CPU"
    ),
    limits=("l2_normalize_channels_only", "l2_normalize_epsilon"),
    quantized=through_reals(check_l2_normalize_fusion, lower_l2_normalize_fusion),
)
