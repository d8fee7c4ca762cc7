"""Quantized Conv2DFusion: a convolution or a depthwise convolution of integers, bias and activation included."""

from __future__ import annotations

from ....delegate import Kernel
from ....ir.primitives import Conv2DFusion
from ...device.quantized_convolution import QuantizedConvolution
from ...device.quantized_depthwise import QuantizedDepthwiseConvolution
from ...ir.builder import Builder
from ...ir.lowering import Lowering
from ...semantics.geometry import conv_sliding, window_of
from ...semantics.operands import operand, primitive_of, required
from ...semantics.quantization import per_tensor
from ..op_conv2d_fusion import groups_of
from ._dense import dense_requantization, zero_points_of


def lower_conv2d_fusion(kernel: Kernel, builder: Builder) -> None:
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


LOWERING = Lowering("Conv2DFusion", lower_conv2d_fusion)
