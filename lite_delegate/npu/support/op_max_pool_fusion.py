"""MaxPoolFusion: claimed without limits of its own."""

from __future__ import annotations

from ...delegate import Kernel, Supported, SupportResult
from ...ir.primitives import MaxPoolFusion
from ..profiles import Profile
from ..semantics.operands import primitive_of
from ._check import SupportCheck
from ._pooling import check_pool
from .gate import check_range


def check_max_pool_fusion(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return (
        check_pool(kernel, profile, primitive_of(kernel, MaxPoolFusion)) or check_range(kernel, profile) or Supported()
    )


CHECK = SupportCheck("MaxPoolFusion", check_max_pool_fusion)
