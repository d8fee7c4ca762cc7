"""SubFusion: claimed where the operands broadcast and the activation can be fused."""

from __future__ import annotations

from ...delegate import Kernel, Supported, SupportResult
from ...ir.primitives import SubFusion
from ..profiles import Profile
from ..semantics.operands import primitive_of
from ._check import SupportCheck
from ._elementwise import check_binary, check_ranks
from .gate import check_range


def check_sub_fusion(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    activation = primitive_of(kernel, SubFusion).activation_type
    return (
        check_binary(kernel, profile, activation)
        or check_ranks(kernel, profile)
        or check_range(kernel, profile)
        or Supported()
    )


CHECK = SupportCheck("SubFusion", check_sub_fusion)
