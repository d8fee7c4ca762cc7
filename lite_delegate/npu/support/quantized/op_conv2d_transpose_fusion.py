"""Quantized Conv2dTransposeFusion: claimed where the operator is on real numbers."""

from __future__ import annotations

from ....delegate import Kernel, SupportResult
from ....ir.primitives import Conv2dTransposeFusion
from ...profiles import Profile
from ...semantics.operands import primitive_of
from .. import op_conv2d_transpose_fusion
from .._check import SupportCheck
from ._dense import check_dense


def check_conv2d_transpose_fusion(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    activation = primitive_of(kernel, Conv2dTransposeFusion).activation_type
    return check_dense(kernel, profile, op_conv2d_transpose_fusion.CHECK, activation, channel_axis=-1)


CHECK = SupportCheck("Conv2dTransposeFusion", check_conv2d_transpose_fusion)
