"""Quantized functions of single elements: claimed where the operator is on real numbers."""

from __future__ import annotations

from ....delegate import Kernel, RejectCode, Rejected, SupportResult
from ....ir.enums import ActivationType
from ...profiles import Profile
from .._check import SupportCheck
from ._stored import check_stored


def by_table(on_reals: SupportCheck) -> SupportCheck:
    """The check of the quantized form of an operator of one input."""

    def check(kernel: Kernel, profile: Profile) -> SupportResult:
        if len(kernel.operands) != 1:
            return Rejected(RejectCode.ATTRIBUTE, f"must have 1 input to become a table, has {len(kernel.operands)}")
        return check_stored(kernel, profile, on_reals, ActivationType.NO_ACTIVATION)

    return SupportCheck(on_reals.op_type, check)
