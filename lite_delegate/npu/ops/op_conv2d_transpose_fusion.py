"""Conv2dTransposeFusion: one transposed convolution with bias and activation."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.primitives import Conv2dTransposeFusion
from ..device.transposed_convolution import TransposedConvolution
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.activations import FUSED
from ..semantics.operands import operand, primitive_of, required
from ..semantics.spreading import spread_window


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


LOWERING = Lowering("Conv2dTransposeFusion", lower_conv2d_transpose_fusion)
