"""Quantized FullConnection: claimed where the operator is on real numbers."""

from __future__ import annotations

from ....delegate import Kernel, SupportResult
from ....ir.primitives import FullConnection
from ...profiles import Profile
from ...semantics.operands import primitive_of
from .. import op_full_connection
from .._check import SupportCheck
from ._dense import check_dense


def check_full_connection(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    activation = primitive_of(kernel, FullConnection).activation_type
    return check_dense(kernel, profile, op_full_connection.CHECK, activation, channel_axis=-2)


CHECK = SupportCheck("FullConnection", check_full_connection)
