"""LRN: claimed across channels."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.primitives import LRN
from ..profiles import Profile
from ..semantics.operands import primitive_of, required
from ._check import SupportCheck
from ._elementwise import check_unary
from .gate import check_range

REGIONS = (None, "", "ACROSS_CHANNELS")
"""Names of the one region; None and "" stand for it."""


def check_lrn(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return (
        check_unary(kernel, profile)
        or _check_attributes(kernel, primitive_of(kernel, LRN))
        or check_range(kernel, profile)
        or Supported()
    )


def _check_attributes(kernel: Kernel, primitive: LRN) -> Rejected | None:
    if not required(kernel, 0).shape:
        return Rejected(RejectCode.RANK, "input 0 must have a channel axis, is a scalar")
    if primitive.depth_radius < 0:
        return Rejected(RejectCode.ATTRIBUTE, f"depth_radius must be >= 0, is {primitive.depth_radius}")
    if primitive.norm_region not in REGIONS:
        return Rejected(RejectCode.ATTRIBUTE, f"norm_region must be ACROSS_CHANNELS, is {primitive.norm_region}")
    return None


CHECK = SupportCheck("LRN", check_lrn)
