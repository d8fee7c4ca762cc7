"""Convolutions."""

from __future__ import annotations

from dataclasses import replace

from ....basics.counted import counted
from ....flatbuffer.problem import FormatProblem
from ....flatbuffer.schema import Record
from ....ir import Format, Value
from ...rejection import Why
from ..conversion import UNKNOWN, Converter, OperatorConversion
from ..tensors.layout import enum_names
from .activation import fused_node


def padding_name(number: int) -> str:
    """SAME or VALID.

    Raises:
        FormatProblem: the number of neither.
    """
    found = enum_names("Padding").get(number)
    if found is None:
        raise FormatProblem(f"expected 0 or 1, found {number}", "padding")
    return found


def strides(options: Record) -> list[int]:
    """[h, w].

    Raises:
        FormatProblem: one is below 1.
    """
    found = [options["stride_h"], options["stride_w"]]
    if min(found) < 1:
        raise FormatProblem(f"expected strides of at least 1, found {found}", "stride")
    return found


def dilations(options: Record) -> list[int]:
    """[h, w].

    Raises:
        FormatProblem: one is below 1.
    """
    found = [options["dilation_h_factor"], options["dilation_w_factor"]]
    if min(found) < 1:
        raise FormatProblem(f"expected dilations of at least 1, found {found}", "dilation_factor")
    return found


def kernel_size(c: OperatorConversion, weight: Value) -> list[int]:
    """[h, w] of a weight (K, H, W, C).

    Raises:
        FormatProblem: it has not four dimensions.
    """
    if c.rank(weight) != 4:
        raise FormatProblem(f"weights must have 4 dimensions, found {weight.shape}", "inputs[1]")
    return list((weight.shape or ())[1:3])


def conv_2d(c: OperatorConversion) -> None:
    """Conv2DFusion; fewer channels in the weight than in the input mean groups."""
    options, x, weight = c.option("Conv2DOptions"), c.x(), c.x(1)
    kernel = kernel_size(c, weight)
    c.channels(weight, 0)
    inside, outside = c.dim(weight, 3), c.dim(x, 3)
    group = outside // inside if outside > 0 and inside > 0 else 1
    if group * inside != outside and outside > 0:
        raise FormatProblem(f"weights of {inside} channels do not fit an input of {outside}", "inputs[1]")
    fused_node(
        c,
        "Conv2DFusion",
        [x, replace(weight, format=Format.KHWC) if weight.data is not None else weight, c.optional(2)],
        c.y(),
        options["fused_activation_function"],
        format=Format.NHWC,
        kernel_size=kernel,
        stride=strides(options),
        dilation=dilations(options),
        pad_mode=padding_name(options["padding"]),
        group=group,
        in_channel=max(0, group * inside),
        out_channel=max(0, c.dim(weight, 0)),
    )


def depthwise_conv_2d(c: OperatorConversion) -> None:
    """Conv2DFusion with as many groups as the input has channels; weights (1, H, W, C) become (C, H, W, 1)."""
    options, x, weight = c.option("DepthwiseConv2DOptions"), c.x(), c.x(1)
    kernel = kernel_size(c, weight)
    c.channels(weight, 3)
    count, group = c.dim(weight, 3), c.dim(x, 3)
    if group == UNKNOWN and options["depth_multiplier"] > 0:
        group = count // options["depth_multiplier"]
    if group < 1 or count % group or c.dim(weight, 0) != 1:
        raise FormatProblem(f"weights {weight.shape} do not fit an input of {counted(group, 'channel')}", "inputs[1]")
    fused_node(
        c,
        "Conv2DFusion",
        [x, c.transposed(weight, (3, 1, 2, 0), Format.KHWC), c.optional(2)],
        c.y(),
        options["fused_activation_function"],
        format=Format.NHWC,
        kernel_size=kernel,
        stride=strides(options),
        dilation=dilations(options),
        pad_mode=padding_name(options["padding"]),
        group=group,
        in_channel=group,
        out_channel=count,
    )


def transpose_conv(c: OperatorConversion) -> None:
    """Conv2dTransposeFusion; pads follow from the output's size, which must be known.

    The file gives the output's size. As in TensorFlow Lite, the padding is that of the convolution which makes the
    input of that output.
    """
    options, weight, x = c.option("TransposeConvOptions"), c.x(1), c.x(2)
    kernel, stride = kernel_size(c, weight), strides(options)
    c.channels(weight, 0)
    padding = padding_name(options["padding"])
    sizes = zip(_spatial(c, x), _output_size(c), kernel, stride, strict=True)
    (up, down, h), (left, right, w) = (_pads(*size, padding) for size in sizes)
    fused_node(
        c,
        "Conv2dTransposeFusion",
        [x, c.transposed(weight, (3, 1, 2, 0), Format.KHWC), c.optional(3)],
        c.y(),
        options["fused_activation_function"],
        format=Format.NHWC,
        kernel_size=kernel,
        stride=stride,
        dilation=[1, 1],
        pad_mode="PAD",
        pad_list=[up, down, left, right],
        output_paddings=[h, w],
        group=1,
        in_channel=max(0, c.dim(weight, 3)),
        out_channel=max(0, c.dim(weight, 0)),
    )


def _output_size(c: OperatorConversion) -> list[int]:
    """Height and width of the output: the constant input 0, or the declared shape where input 0 is computed."""
    shape = c.x(0)
    if shape.data is not None:
        found = c.integers(0, "the output's shape")
        if len(found) != 4:
            raise FormatProblem(f"the output's shape must have 4 dimensions, found {found}", "inputs[0]")
        return found[1:3]
    return _spatial(c, c.y())


def _spatial(c: OperatorConversion, value: Value) -> list[int]:
    found = [c.dim(value, 1), c.dim(value, 2)]
    reason = f"height and width of '{value.name}' must be known, found {value.shape}"
    c.reject_unless(c.rank(value) == 4 and min(found) > 0, Why.SHAPE, reason)
    return found


def _pads(size: int, out: int, kernel: int, stride: int, padding: str) -> tuple[int, int, int]:
    """The pads before and after an axis, and the size that is added at its end."""
    covered = out if padding == "SAME" else out - kernel + 1
    total = max(0, (-(-covered // stride) - 1) * stride + kernel - out)
    before = total // 2
    after = (size - 1) * stride + kernel - before - out
    return before, max(0, after), max(0, -after)


CONVERTERS: dict[str, Converter] = {
    "CONV_2D": conv_2d,
    "DEPTHWISE_CONV_2D": depthwise_conv_2d,
    "TRANSPOSE_CONV": transpose_conv,
}
"""Converters of this file by the schema's names."""
