"""Quantized MatMulFusion: claimed where the operator is on real numbers."""

from __future__ import annotations

from ....delegate import Kernel, SupportResult
from ....ir.primitives import MatMulFusion
from ...profiles import Profile
from ...semantics.operands import primitive_of
from .. import op_matmul_fusion
from .._check import SupportCheck
from ._dense import check_dense


def check_matmul_fusion(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    primitive = primitive_of(kernel, MatMulFusion)
    axis = -2 if primitive.transpose_b else -1
    return check_dense(kernel, profile, op_matmul_fusion.CHECK, primitive.activation_type, axis)


CHECK = SupportCheck("MatMulFusion", check_matmul_fusion)
