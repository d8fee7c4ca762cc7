"""Conv2dTransposeFusion: claimed with a constant weight, in groups, with every padding."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.primitives import Conv2dTransposeFusion
from ..ops.op_conv2d_transpose_fusion import spread_groups
from ..profiles import Profile
from ..semantics.operands import operand, primitive_of, required
from ..semantics.spreading import spread_sliding, spread_window
from ._check import SupportCheck
from ._windows import check_sliding
from .gate import (
    check_constants,
    check_fused,
    check_operands,
    check_output_shape,
    check_range,
    check_rank,
    check_tensors,
)


def check_conv2d_transpose_fusion(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return (
        check_operands(kernel, 2, 3)
        or check_tensors(kernel, profile)
        or check_rank(kernel, 0, {4})
        or check_rank(kernel, 1, {4})
        or check_constants(kernel, {1: "weight"})
        or check_fused(primitive_of(kernel, Conv2dTransposeFusion).activation_type)
        or _check_channels(kernel, profile.limits.conv_transpose_max_groups)
        or _check_geometry(kernel)
        or check_range(kernel, profile)
        or Supported()
    )


def _check_channels(kernel: Kernel, limit: int | None) -> Rejected | None:
    x, weight, bias = required(kernel, 0).shape, required(kernel, 1).shape, operand(kernel, 2)
    group = spread_groups(primitive_of(kernel, Conv2dTransposeFusion), weight[0])
    if group < 1 or weight[0] % group or weight[0] != x[3]:
        reason = f"group must divide the channels: group {group}, input {x}, weight {weight}"
        return Rejected(RejectCode.ATTRIBUTE, reason)
    if limit is not None and group > limit:
        return Rejected(RejectCode.LIMIT, f"group may be {limit} at most, is {group}")
    if bias is not None and bias.shape != [weight[3] * group]:
        return Rejected(RejectCode.SHAPE, f"bias must have shape [{weight[3] * group}], has {bias.shape}")
    return None


def _check_geometry(kernel: Kernel) -> Rejected | None:
    primitive = primitive_of(kernel, Conv2dTransposeFusion)
    x, weight = required(kernel, 0).shape, required(kernel, 1).shape
    sliding, more = spread_sliding(primitive, weight), primitive.output_paddings
    rejected = check_sliding(sliding)
    if rejected is not None:
        return rejected
    if list(sliding.size) != weight[1:3]:
        reason = f"kernel_size must be the weight's {weight[1:3]}, is {list(sliding.size)}"
        return Rejected(RejectCode.ATTRIBUTE, reason)
    if more is not None and (len(more) != 2 or min(more) < 0):
        return Rejected(RejectCode.ATTRIBUTE, f"output_paddings must be two numbers >= 0, is {list(more)}")
    group = spread_groups(primitive, weight[0])
    return check_output_shape(kernel, (x[0], *spread_window(primitive, weight, x).output, weight[3] * group))


CHECK = SupportCheck("Conv2dTransposeFusion", check_conv2d_transpose_fusion)
