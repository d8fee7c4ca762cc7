"""Conv2DFusion: a convolution or a depthwise convolution with bias and activation."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import Conv2DFusion
from ...semantics.geometry import conv_sliding
from ...semantics.operands import operand, primitive_of, required
from ...semantics.quantization import per_tensor
from ..device.instructions.convolution import Convolution
from ..device.instructions.depthwise import DepthwiseConvolution
from ..device.instructions.quantized_convolution import QuantizedConvolution
from ..device.instructions.quantized_depthwise import QuantizedDepthwiseConvolution
from ..ir.builder import Builder
from ..profiles import Profile
from ..semantics.activations import FUSED
from ..semantics.windows import window_of
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
from .quantized.dense import check_dense, dense_requantization, zero_points_of
from .record import Form, NpuOperator
from .rules import BIAS_OF_CHANNELS


def check_conv2d_fusion(kernel: Kernel, profile: Profile) -> Rejected | None:
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
    )


def _check_channels(kernel: Kernel) -> Rejected | None:
    x, weight, bias = required(kernel, 0).shape, required(kernel, 1).shape, operand(kernel, 2)
    group = groups_of(primitive_of(kernel, Conv2DFusion), weight[0])
    if group < 1 or weight[0] % group or weight[3] * group != x[3]:
        reason = f"group must divide the channels: group {group}, input {x}, weight {weight}"
        return Rejected(RejectCode.ATTRIBUTE, reason, "group must divide the channels")
    if bias is not None and bias.shape != [weight[0]]:
        return Rejected(RejectCode.SHAPE, f"bias must have shape [{weight[0]}], has {bias.shape}", BIAS_OF_CHANNELS)
    return None


def _check_geometry(kernel: Kernel) -> Rejected | None:
    primitive, x, weight = primitive_of(kernel, Conv2DFusion), required(kernel, 0).shape, required(kernel, 1).shape
    sliding = conv_sliding(primitive, weight)
    rejected = check_sliding(sliding)
    if rejected is not None:
        return rejected
    if list(sliding.size) != weight[1:3]:
        reason = f"kernel_size must be the weight's {weight[1:3]}, is {list(sliding.size)}"
        return Rejected(RejectCode.ATTRIBUTE, reason, "kernel_size must be the weight's")
    rejected = check_windows(sliding, x)
    return rejected or check_output_shape(kernel, (x[0], *window_of(sliding, x).output, weight[0]))


def lower_conv2d_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction. The weight's order (Cout, Kh, Kw, Cin/group) is the device's own."""
    primitive = primitive_of(kernel, Conv2DFusion)
    x, weight, bias = required(kernel, 0), required(kernel, 1), operand(kernel, 2)
    window = window_of(conv_sliding(primitive, weight.shape), x.shape)
    fused, group = FUSED[primitive.activation_type], groups_of(primitive, weight.shape[0])
    depthwise = group == x.shape[3] == weight.shape[0] and weight.shape[3] == 1
    instruction = DepthwiseConvolution(window, fused) if depthwise else Convolution(window, group, fused)
    buffers = [builder.read_nchw(x), builder.read(weight)]
    if bias is not None:
        buffers.append(builder.read(bias))
    builder.define_nchw(kernel.outputs[0], instruction, buffers)


def groups_of(primitive: Conv2DFusion, channels_out: int) -> int:
    """The number of groups; 0, the schema's default, means one per output channel."""
    return channels_out if primitive.group == 0 else primitive.group


def check_quantized(kernel: Kernel, profile: Profile) -> Rejected | None:
    activation = primitive_of(kernel, Conv2DFusion).activation_type
    return check_dense(kernel, profile, check_conv2d_fusion, activation, channel_axis=-4)


def lower_quantized(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction. The weight's order (Cout, Kh, Kw, Cin/group) is the device's own."""
    primitive = primitive_of(kernel, Conv2DFusion)
    x, weight, bias = required(kernel, 0), required(kernel, 1), operand(kernel, 2)
    window = window_of(conv_sliding(primitive, weight.shape), x.shape)
    requantization = dense_requantization(kernel, builder, primitive.activation_type)
    point, points = per_tensor(x).zero_point, zero_points_of(weight)
    buffers = [builder.read_nchw(x), builder.read(weight), *([] if bias is None else [builder.read(bias)])]
    group = groups_of(primitive, weight.shape[0])
    if group == x.shape[3] == weight.shape[0] and weight.shape[3] == 1:
        depthwise = QuantizedDepthwiseConvolution(window, point, points, requantization)
        return builder.define_nchw(kernel.outputs[0], depthwise, buffers)
    instruction = QuantizedConvolution(window, point, points, requantization, group)
    return builder.define_nchw(kernel.outputs[0], instruction, buffers)


OPERATOR = NpuOperator(
    "Conv2DFusion",
    check_conv2d_fusion,
    lower_conv2d_fusion,
    takes="real",
    condition=(
        "for rank 4 and a constant weight, in groups that divide the channels; no activation, RELU or RELU6 fused"
    ),
    quantized=Form(check_quantized, lower_quantized),
)
