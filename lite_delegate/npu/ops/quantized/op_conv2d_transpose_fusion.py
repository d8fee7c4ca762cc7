"""Quantized Conv2dTransposeFusion: one transposed convolution of integers, bias and activation included."""

from __future__ import annotations

from ....delegate import Kernel
from ....ir.primitives import Conv2dTransposeFusion
from ...device.quantized_transposed_convolution import QuantizedTransposedConvolution
from ...ir.builder import Builder
from ...ir.lowering import Lowering
from ...semantics.operands import operand, primitive_of, required
from ...semantics.quantization import per_tensor
from ...semantics.spreading import spread_window
from ..op_conv2d_transpose_fusion import spread_groups
from ._dense import dense_requantization, zero_points_of


def lower_conv2d_transpose_fusion(kernel: Kernel, builder: Builder) -> None:
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


LOWERING = Lowering("Conv2dTransposeFusion", lower_conv2d_transpose_fusion)
