"""Conv2DFusion: a convolution or a depthwise convolution with bias and activation."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.primitives import Conv2DFusion
from ..device.convolution import Convolution
from ..device.depthwise import DepthwiseConvolution
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.activations import FUSED
from ..semantics.geometry import conv_sliding, window_of
from ..semantics.operands import operand, primitive_of, required


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


LOWERING = Lowering("Conv2DFusion", lower_conv2d_fusion)
