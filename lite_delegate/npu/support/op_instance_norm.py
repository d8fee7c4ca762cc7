"""InstanceNorm: claimed with at least one axis between the first and the channels."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.primitives import InstanceNorm
from ..profiles import Profile
from ..semantics.operands import primitive_of, required
from ._check import SupportCheck
from ._moments import check_epsilon
from .gate import check_operands, check_output_shape, check_range, check_rank, check_tensors


def check_instance_norm(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return (
        check_operands(kernel, 3, 3)
        or check_tensors(kernel, profile)
        or check_rank(kernel, 0, range(3, profile.max_rank + 1))
        or _check_channels(kernel)
        or check_output_shape(kernel, kernel.inputs[0].shape)
        or check_epsilon(primitive_of(kernel, InstanceNorm).epsilon, profile.limits.moments_epsilon)
        or check_range(kernel, profile)
        or Supported()
    )


def _check_channels(kernel: Kernel) -> Rejected | None:
    channels = required(kernel, 0).shape[-1:]
    for position in (1, 2):
        shape = required(kernel, position).shape
        if shape != channels:
            return Rejected(RejectCode.SHAPE, f"input {position} must have shape {channels}, has {shape}")
    return None


CHECK = SupportCheck("InstanceNorm", check_instance_norm)
