"""ExpFusion: claimed for every base that has a logarithm."""

from __future__ import annotations

import math

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.primitives import ExpFusion
from ..ops.op_exp_fusion import NATURAL_BASE
from ..profiles import Profile
from ..semantics.operands import primitive_of
from ._check import SupportCheck
from ._elementwise import check_unary
from .gate import check_range


def check_exp_fusion(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel. NOTE: MindSpore Lite's NPU ignores base, scale and shift."""
    base = primitive_of(kernel, ExpFusion).base
    return check_unary(kernel, profile) or _check_base(base) or check_range(kernel, profile) or Supported()


def _check_base(base: float) -> Rejected | None:
    if base == NATURAL_BASE or (base > 0.0 and math.isfinite(base)):
        return None
    return Rejected(RejectCode.ATTRIBUTE, f"base must be positive, or -1 for e, is {base:g}")


CHECK = SupportCheck("ExpFusion", check_exp_fusion)
