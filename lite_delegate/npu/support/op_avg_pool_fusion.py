"""AvgPoolFusion: claimed within the device's limits on padding and input size."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.primitives import AvgPoolFusion
from ..profiles import Limits, Profile
from ..profiles.driver_version import at_least
from ..semantics.geometry import pool_sliding, window_of
from ..semantics.operands import primitive_of
from ._check import SupportCheck
from ._pooling import check_pool
from .gate import check_range


def check_avg_pool_fusion(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return (
        check_pool(kernel, profile, primitive_of(kernel, AvgPoolFusion))
        or _check_padding(kernel, profile.limits)
        or _check_area(kernel, profile)
        or check_range(kernel, profile)
        or Supported()
    )


def _check_padding(kernel: Kernel, limits: Limits) -> Rejected | None:
    shape = kernel.inputs[0].shape
    window = window_of(pool_sliding(primitive_of(kernel, AvgPoolFusion), shape), shape)
    (top, left), (down, across) = window.before, window.strides
    if not limits.avg_pool_pad_at_most_stride or (top <= down and left <= across):
        return None
    return Rejected(
        RejectCode.LIMIT, f"padding above and left may be the strides {[down, across]} at most, is {[top, left]}"
    )


def _check_area(kernel: Kernel, profile: Profile) -> Rejected | None:
    limit, lifted_since = profile.limits.avg_pool_max_input_area, profile.limits.avg_pool_any_area_since
    height, width = kernel.inputs[0].shape[1:3]
    if limit is None or height * width <= limit or (lifted_since and at_least(profile.driver_version, lifted_since)):
        return None
    return Rejected(RejectCode.LIMIT, f"height * width of the input may be {limit} at most, is {height * width}")


CHECK = SupportCheck("AvgPoolFusion", check_avg_pool_fusion)
