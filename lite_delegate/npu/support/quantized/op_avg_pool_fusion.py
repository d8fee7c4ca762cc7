"""Quantized AvgPoolFusion: claimed where the operator is on real numbers."""

from __future__ import annotations

from ....delegate import Kernel, SupportResult
from ....ir.primitives import AvgPoolFusion
from ...profiles import Profile
from ...semantics.operands import primitive_of
from .. import op_avg_pool_fusion
from .._check import SupportCheck
from ._stored import check_stored


def check_avg_pool_fusion(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return check_stored(kernel, profile, op_avg_pool_fusion.CHECK, primitive_of(kernel, AvgPoolFusion).activation_type)


CHECK = SupportCheck("AvgPoolFusion", check_avg_pool_fusion)
