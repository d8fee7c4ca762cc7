"""Eltwise: claimed for its three modes."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.enums import EltwiseMode
from ...ir.primitives import Eltwise
from ..profiles import Profile
from ..semantics.operands import primitive_of
from ._check import SupportCheck
from ._elementwise import check_binary
from .gate import check_range


def check_eltwise(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel. NOTE: MindSpore Lite's NPU takes UNKNOWN as a sum."""
    return (
        check_binary(kernel, profile)
        or _check_mode(primitive_of(kernel, Eltwise).mode)
        or check_range(kernel, profile)
        or Supported()
    )


def _check_mode(mode: EltwiseMode) -> Rejected | None:
    if mode != EltwiseMode.UNKNOWN:
        return None
    return Rejected(RejectCode.ATTRIBUTE, "mode must be PROD, SUM or MAXIMUM, is UNKNOWN")


CHECK = SupportCheck("Eltwise", check_eltwise)
