"""Conv2dTransposeFusion: one transposed convolution with bias and activation."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import Conv2dTransposeFusion
from ...semantics.operands import operand, primitive_of, required
from ...semantics.quantization import per_tensor
from ...semantics.spreading import spread_sliding
from ..device.instructions.quantized_transposed_convolution import QuantizedTransposedConvolution
from ..device.instructions.transposed_convolution import TransposedConvolution
from ..ir.builder import Builder
from ..profiles import Profile
from ..semantics.activations import FUSED
from ..semantics.windows import spread_window
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
from .quantized.dense import check_dense, dense_requantization, zero_points_of
from .record import Form, NpuOperator
from .rules import BIAS_OF_CHANNELS


def check_conv2d_transpose_fusion(kernel: Kernel, profile: Profile) -> Rejected | None:
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
    )


def _check_channels(kernel: Kernel, limit: int | None) -> Rejected | None:
    x, weight, bias = required(kernel, 0).shape, required(kernel, 1).shape, operand(kernel, 2)
    group = spread_groups(primitive_of(kernel, Conv2dTransposeFusion), weight[0])
    if group < 1 or weight[0] % group or weight[0] != x[3]:
        reason = f"group must divide the channels: group {group}, input {x}, weight {weight}"
        return Rejected(RejectCode.ATTRIBUTE, reason, "group must divide the channels")
    if limit is not None and group > limit:
        return Rejected.by_rule(RejectCode.LIMIT, f"group may be {limit} at most", f"is {group}")
    if bias is not None and bias.shape != [weight[3] * group]:
        return Rejected(
            RejectCode.SHAPE, f"bias must have shape [{weight[3] * group}], has {bias.shape}", BIAS_OF_CHANNELS
        )
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
        return Rejected(RejectCode.ATTRIBUTE, reason, "kernel_size must be the weight's")
    if more is not None and (len(more) != 2 or min(more) < 0):
        return Rejected.by_rule(RejectCode.ATTRIBUTE, "output_paddings must be two numbers >= 0", f"is {list(more)}")
    group = spread_groups(primitive, weight[0])
    return check_output_shape(kernel, (x[0], *spread_window(primitive, weight, x).output, weight[3] * group))


def lower_conv2d_transpose_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction. The weight's order (Cin, Kh, Kw, Cout/group) is the device's own."""
    primitive = primitive_of(kernel, Conv2dTransposeFusion)
    x, weight, bias = required(kernel, 0), required(kernel, 1), operand(kernel, 2)
    window = spread_window(primitive, weight.shape, x.shape)
    group = spread_groups(primitive, weight.shape[0])
    buffers = [builder.read_nchw(x), builder.read(weight)]
    if bias is not None:
        buffers.append(builder.read(bias))
    instruction = TransposedConvolution(window, group, FUSED[primitive.activation_type])
    builder.define_nchw(kernel.outputs[0], instruction, buffers)


def spread_groups(primitive: Conv2dTransposeFusion, channels_in: int) -> int:
    """The number of groups; 0, the schema's default, means one per input channel."""
    return channels_in if primitive.group == 0 else primitive.group


def check_quantized(kernel: Kernel, profile: Profile) -> Rejected | None:
    activation = primitive_of(kernel, Conv2dTransposeFusion).activation_type
    return check_dense(kernel, profile, check_conv2d_transpose_fusion, activation, channel_axis=-1)


def lower_quantized(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction. The weight's order (Cin, Kh, Kw, Cout/group) is the device's own."""
    primitive = primitive_of(kernel, Conv2dTransposeFusion)
    x, weight, bias = required(kernel, 0), required(kernel, 1), operand(kernel, 2)
    instruction = QuantizedTransposedConvolution(
        spread_window(primitive, weight.shape, x.shape),
        per_tensor(x).zero_point,
        zero_points_of(weight),
        dense_requantization(kernel, builder, primitive.activation_type),
        spread_groups(primitive, weight.shape[0]),
    )
    buffers = [builder.read_nchw(x), builder.read(weight), *([] if bias is None else [builder.read(bias)])]
    builder.define_nchw(kernel.outputs[0], instruction, buffers)


OPERATOR = NpuOperator(
    "Conv2dTransposeFusion",
    check_conv2d_transpose_fusion,
    lower_conv2d_transpose_fusion,
    takes="real",
    condition=(
        "for rank 4 and a constant weight, in groups that divide the channels, with every "
        "pad_mode and output_paddings; no activation, RELU or RELU6 fused"
    ),
    limits=("conv_transpose_max_groups",),
    quantized=Form(check_quantized, lower_quantized),
)
