"""Equal: what may be claimed."""

from __future__ import annotations

from ...delegate import Kernel, Supported, SupportResult
from ..profiles import Profile
from ._check import SupportCheck
from ._comparison import check_comparison, check_rejected_rank
from ._elementwise import ANY
from .gate import check_range


def check_equal(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return (
        check_comparison(kernel, profile, ANY)
        or check_rejected_rank(kernel, profile.limits.equal_rejected_rank)
        or check_range(kernel, profile)
        or Supported()
    )


CHECK = SupportCheck("Equal", check_equal)
