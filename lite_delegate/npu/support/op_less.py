"""Less: what may be claimed."""

from __future__ import annotations

from ...delegate import Kernel, Supported, SupportResult
from ..profiles import Profile
from ._check import SupportCheck
from ._comparison import check_comparison, check_rejected_rank
from .gate import check_range


def check_less(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return (
        check_comparison(kernel, profile)
        or check_rejected_rank(kernel, profile.limits.less_rejected_rank)
        or check_range(kernel, profile)
        or Supported()
    )


CHECK = SupportCheck("Less", check_less)
