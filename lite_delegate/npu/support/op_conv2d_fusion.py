"""Conv2DFusion: claimed with a constant weight, normal, grouped or depthwise."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.primitives import Conv2DFusion
from ..ops.op_conv2d_fusion import groups_of
from ..profiles import Profile
from ..semantics.geometry import conv_sliding, window_of
from ..semantics.operands import operand, primitive_of, required
from ._check import SupportCheck
from ._windows import check_sliding, check_windows
from .gate import (
    check_constants,
    check_fused,
    check_operands,
    check_output_shape,
    check_range,
    check_rank,
    check_tensors,
)


def check_conv2d_fusion(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return (
        check_operands(kernel, 2, 3)
        or check_tensors(kernel, profile)
        or check_rank(kernel, 0, {4})
        or check_rank(kernel, 1, {4})
        or check_constants(kernel, {1: "weight"})
        or check_fused(primitive_of(kernel, Conv2DFusion).activation_type)
        or _check_channels(kernel)
        or _check_geometry(kernel)
        or check_range(kernel, profile)
        or Supported()
    )


def _check_channels(kernel: Kernel) -> Rejected | None:
    x, weight, bias = required(kernel, 0).shape, required(kernel, 1).shape, operand(kernel, 2)
    group = groups_of(primitive_of(kernel, Conv2DFusion), weight[0])
    if group < 1 or weight[0] % group or weight[3] * group != x[3]:
        return Rejected(
            RejectCode.ATTRIBUTE, f"group must divide the channels: group {group}, input {x}, weight {weight}"
        )
    if bias is not None and bias.shape != [weight[0]]:
        return Rejected(RejectCode.SHAPE, f"bias must have shape [{weight[0]}], has {bias.shape}")
    return None


def _check_geometry(kernel: Kernel) -> Rejected | None:
    primitive, x, weight = primitive_of(kernel, Conv2DFusion), required(kernel, 0).shape, required(kernel, 1).shape
    sliding = conv_sliding(primitive, weight)
    rejected = check_sliding(sliding)
    if rejected is not None:
        return rejected
    if list(sliding.size) != weight[1:3]:
        return Rejected(
            RejectCode.ATTRIBUTE, f"kernel_size must be the weight's {weight[1:3]}, is {list(sliding.size)}"
        )
    rejected = check_windows(sliding, x)
    return rejected or check_output_shape(kernel, (x[0], *window_of(sliding, x).output, weight[0]))


CHECK = SupportCheck("Conv2DFusion", check_conv2d_fusion)
