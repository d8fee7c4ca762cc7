"""Quantized MulFusion: claimed where the operator is on real numbers."""

from __future__ import annotations

from ....delegate import Kernel, SupportResult
from ....ir.primitives import MulFusion
from ...profiles import Profile
from ...semantics.operands import primitive_of
from .. import op_mul_fusion
from .._check import SupportCheck
from ._stored import check_stored


def check_mul_fusion(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return check_stored(kernel, profile, op_mul_fusion.CHECK, primitive_of(kernel, MulFusion).activation_type)


CHECK = SupportCheck("MulFusion", check_mul_fusion)
