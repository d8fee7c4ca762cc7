"""FusedBatchNorm: claimed with constant statistics, outside training."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.primitives import FusedBatchNorm
from ..ops.op_fused_batch_norm import statistics_of
from ..profiles import Profile
from ..semantics.operands import primitive_of, required
from ._check import SupportCheck
from .gate import check_constants, check_magnitude, check_operands, check_output_shape, check_tensors


def check_fused_batch_norm(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return (
        check_operands(kernel, 5, 5)
        or check_tensors(kernel, profile)
        or check_constants(kernel, {1: "scale", 2: "offset", 3: "mean", 4: "variance"})
        or _check_mode(primitive_of(kernel, FusedBatchNorm).mode)
        or _check_channels(kernel)
        or check_output_shape(kernel, kernel.inputs[0].shape)
        or check_magnitude("scale / sqrt(variance + epsilon)", statistics_of(kernel).factor, profile)
        or check_magnitude("mean", required(kernel, 3).data, profile)
        or check_magnitude("offset", required(kernel, 2).data, profile)
        or Supported()
    )


def _check_mode(mode: int) -> Rejected | None:
    if mode == 0:
        return None
    return Rejected(RejectCode.ATTRIBUTE, f"mode must be 0 (inference), is {mode}")


def _check_channels(kernel: Kernel) -> Rejected | None:
    x = required(kernel, 0).shape
    if not x:
        return Rejected(RejectCode.RANK, "input 0 must have a channel axis, is a scalar")
    for position in range(1, 5):
        shape = required(kernel, position).shape
        if shape != x[-1:]:
            return Rejected(RejectCode.SHAPE, f"input {position} must have shape {x[-1:]}, has {shape}")
    return None


CHECK = SupportCheck("FusedBatchNorm", check_fused_batch_norm)
