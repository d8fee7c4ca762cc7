"""Quantized MaxPoolFusion: claimed where the operator is on real numbers."""

from __future__ import annotations

from ....delegate import Kernel, SupportResult
from ....ir.primitives import MaxPoolFusion
from ...profiles import Profile
from ...semantics.operands import primitive_of
from .. import op_max_pool_fusion
from .._check import SupportCheck
from ._stored import check_stored


def check_max_pool_fusion(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return check_stored(kernel, profile, op_max_pool_fusion.CHECK, primitive_of(kernel, MaxPoolFusion).activation_type)


CHECK = SupportCheck("MaxPoolFusion", check_max_pool_fusion)
