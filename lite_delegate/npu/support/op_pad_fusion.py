"""PadFusion: claimed for constant paddings; which borders and ranks, the profile says."""

from __future__ import annotations

import numpy as np

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.enums import PaddingMode
from ...ir.primitives import PadFusion
from ..ops.op_pad_fusion import BORDERS, pad_of, padded_shape
from ..profiles import Limits, Profile
from ..semantics.operands import primitive_of, required
from ._check import SupportCheck
from .gate import (
    FLOATING,
    MOVABLE,
    check_constants,
    check_fits,
    check_magnitude,
    check_operands,
    check_range,
    check_rank,
    check_tensors,
)


def check_pad_fusion(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    rank = profile.limits.pad_only_rank
    return (
        check_operands(kernel, 2, 3)
        or check_tensors(kernel, profile, positions=(0,), more_dtypes=MOVABLE)
        or (None if rank is None else check_rank(kernel, 0, {rank}))
        or check_constants(kernel, {1: "paddings", 2: "constant"})
        or _check_mode(primitive_of(kernel, PadFusion).padding_mode, profile.limits)
        or check_fits(kernel, lambda: [padded_shape(kernel)])
        or _check_value(kernel, profile)
        or check_range(kernel, profile)
        or Supported()
    )


def _check_mode(mode: PaddingMode, limits: Limits) -> Rejected | None:
    if mode not in BORDERS:
        known = ", ".join(m.name for m in BORDERS)
        return Rejected(RejectCode.ATTRIBUTE, f"padding_mode must be one of {known}, is {mode.name}")
    if limits.pad_constant_only and mode != PaddingMode.CONSTANT:
        return Rejected(RejectCode.LIMIT, f"padding_mode may be CONSTANT only, is {mode.name}")
    return None


def _check_value(kernel: Kernel, profile: Profile) -> Rejected | None:
    if required(kernel, 0).dtype not in FLOATING:
        return None
    return check_magnitude("constant_value", np.array([pad_of(kernel).value]), profile)


CHECK = SupportCheck("PadFusion", check_pad_fusion)
