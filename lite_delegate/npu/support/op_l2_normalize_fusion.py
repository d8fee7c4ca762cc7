"""L2NormalizeFusion: claimed along any axes, unless the profile wants the channels alone."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.primitives import L2NormalizeFusion
from ..ops.op_l2_normalize_fusion import length_axes
from ..profiles import Limits, Profile
from ..semantics.operands import primitive_of, required
from ._check import SupportCheck
from ._elementwise import check_unary
from ._moments import check_epsilon
from .gate import check_axis, check_range


def check_l2_normalize_fusion(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel. Fused activations other than RELU and RELU6 count as none, on the CPU as here."""
    primitive = primitive_of(kernel, L2NormalizeFusion)
    return (
        check_unary(kernel, profile)
        or _check_axes(kernel, primitive, profile.limits)
        or check_epsilon(primitive.epsilon, profile.limits.l2_normalize_epsilon)
        or check_range(kernel, profile)
        or Supported()
    )


def _check_axes(kernel: Kernel, primitive: L2NormalizeFusion, limits: Limits) -> Rejected | None:
    rank = len(required(kernel, 0).shape)
    rejections = (check_axis("each axis", axis, rank) for axis in primitive.axis or ())
    rejected = next((r for r in rejections if r is not None), None)
    if rejected is not None:
        return rejected
    axes = length_axes(primitive, rank)
    if len(set(axes)) != len(axes):
        return Rejected(RejectCode.ATTRIBUTE, f"axis must name each axis once, is {list(primitive.axis or ())}")
    if limits.l2_normalize_channels_only and axes != (rank - 1,):
        return Rejected(RejectCode.LIMIT, f"axis must be the last one, {rank - 1}, alone, is {list(axes)}")
    return None


CHECK = SupportCheck("L2NormalizeFusion", check_l2_normalize_fusion)
