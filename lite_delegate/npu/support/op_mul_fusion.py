"""MulFusion: claimed where the operands broadcast, within the device's limit, and the activation can be fused."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.primitives import MulFusion
from ..profiles import Profile
from ..semantics.operands import primitive_of
from ._check import SupportCheck
from ._elementwise import check_binary
from .gate import check_range


def check_mul_fusion(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    activation = primitive_of(kernel, MulFusion).activation_type
    return (
        check_binary(kernel, profile, activation)
        or _check_area(kernel, profile.limits.mul_broadcast_max_area)
        or check_range(kernel, profile)
        or Supported()
    )


def _check_area(kernel: Kernel, limit: int | None) -> Rejected | None:
    """A rank-4 product that has the shape of neither factor is small enough."""
    out = kernel.outputs[0].shape
    if limit is None or len(out) != 4 or out in [t.shape for t in kernel.inputs] or out[1] * out[2] <= limit:
        return None
    area = out[1] * out[2]
    return Rejected(
        RejectCode.LIMIT, f"height * width may be {limit} at most when both factors are broadcast, is {area}"
    )


CHECK = SupportCheck("MulFusion", check_mul_fusion)
