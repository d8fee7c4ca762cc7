"""Quantized AddFusion: claimed where the operator is on real numbers."""

from __future__ import annotations

from ....delegate import Kernel, SupportResult
from ....ir.primitives import AddFusion
from ...profiles import Profile
from ...semantics.operands import primitive_of
from .. import op_add_fusion
from .._check import SupportCheck
from ._stored import check_stored


def check_add_fusion(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return check_stored(kernel, profile, op_add_fusion.CHECK, primitive_of(kernel, AddFusion).activation_type)


CHECK = SupportCheck("AddFusion", check_add_fusion)
