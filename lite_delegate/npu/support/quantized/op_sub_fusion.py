"""Quantized SubFusion: claimed where the operator is on real numbers."""

from __future__ import annotations

from ....delegate import Kernel, SupportResult
from ....ir.primitives import SubFusion
from ...profiles import Profile
from ...semantics.operands import primitive_of
from .. import op_sub_fusion
from .._check import SupportCheck
from ._stored import check_stored


def check_sub_fusion(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return check_stored(kernel, profile, op_sub_fusion.CHECK, primitive_of(kernel, SubFusion).activation_type)


CHECK = SupportCheck("SubFusion", check_sub_fusion)
