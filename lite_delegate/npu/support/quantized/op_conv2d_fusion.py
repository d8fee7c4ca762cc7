"""Quantized Conv2DFusion: claimed where the operator is on real numbers."""

from __future__ import annotations

from ....delegate import Kernel, SupportResult
from ....ir.primitives import Conv2DFusion
from ...profiles import Profile
from ...semantics.operands import primitive_of
from .. import op_conv2d_fusion
from .._check import SupportCheck
from ._dense import check_dense


def check_conv2d_fusion(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    activation = primitive_of(kernel, Conv2DFusion).activation_type
    return check_dense(kernel, profile, op_conv2d_fusion.CHECK, activation, channel_axis=-4)


CHECK = SupportCheck("Conv2DFusion", check_conv2d_fusion)
