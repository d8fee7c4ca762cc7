"""ONNX's convolutions: Conv, ConvTranspose."""

from __future__ import annotations

from collections.abc import Sequence

from lite_delegate_kernels import UNKNOWN

from ....ir import Value
from ...rejection import Why
from ..conversion import Converter, OnnxNode
from ..windows.spatial import (
    IntPairs,
    check_two_spatial_axes,
    explicit_pads,
    flat,
    from_nhwc,
    per_axis,
    to_nhwc,
    window_pads,
)


def convolve(node: OnnxNode, x: Value, weight: Value, bias: Value | None) -> Value:
    """NCHW ``x``, KCHW ``weight``; both may lack the rows. Weights become (K, H, W, C / group)."""
    check_two_spatial_axes(node)
    rank = node.rank(x)
    data, kernels = to_nhwc(node, x), to_nhwc(node, weight)
    strides, dilations = per_axis(node, "strides", 1), per_axis(node, "dilations", 1)
    cout, kh, kw, per_group = node.dims(kernels)
    node.reject_unless(
        UNKNOWN not in (cout, kh, kw, per_group), Why.SHAPE, f"the weight's shape must be known, found {(cout, kh, kw)}"
    )
    extents = [(k - 1) * d + 1 for k, d in zip((kh, kw), dilations, strict=True)]
    group = node.get("group", 1)
    same = node.get("auto_pad", "NOTSET") == "SAME_UPPER"
    pads = None if same else flat(window_pads(node, node.dims(data)[1:3], extents, strides))
    y = node.emit(
        "Conv2DFusion",
        data,
        kernels,
        bias,
        format="NHWC",
        kernel_size=[kh, kw],
        stride=strides,
        dilation=dilations,
        pad_mode="SAME" if same else "PAD",
        pad_list=pads,
        group=group,
        in_channel=per_group * group,
        out_channel=cout,
    )
    return from_nhwc(node, y, rank)


def _conv(node: OnnxNode) -> Value:
    return convolve(node, node.x(0), node.x(1), node.optional(2))


def _conv_transpose(node: OnnxNode) -> Value:
    check_two_spatial_axes(node)
    x, weight = to_nhwc(node, node.x(0)), to_nhwc(node, node.x(1))
    strides, dilations = per_axis(node, "strides", 1), per_axis(node, "dilations", 1)
    extra = per_axis(node, "output_padding", 0)
    mode = node.get("auto_pad", "NOTSET")
    cin, kh, kw, per_group = node.shape(weight)
    reach = [
        UNKNOWN if size == UNKNOWN else (size - 1) * s + (k - 1) * d + 1 + e
        for size, s, k, d, e in zip(node.dims(x)[1:3], strides, (kh, kw), dilations, extra, strict=True)
    ]
    extra, pads = _output_pads(node, node.dims(x)[1:3], strides, reach, extra, mode)
    group = node.get("group", 1)
    y = node.emit(
        "Conv2dTransposeFusion",
        x,
        weight,
        node.optional(2),
        format="NHWC",
        kernel_size=[kh, kw],
        stride=strides,
        dilation=dilations,
        pad_mode="PAD",
        pad_list=flat(pads),
        output_paddings=extra,
        group=group,
        in_channel=cin,
        out_channel=per_group * group,
    )
    return from_nhwc(node, y, node.rank(node.x()))


def _output_pads(
    node: OnnxNode, sizes: Sequence[int], strides: Sequence[int], reach: Sequence[int], extra: list[int], mode: str
) -> tuple[list[int], IntPairs]:
    """Output paddings and pads: ``total = reach - wanted`` is cut off, half before and half after.

    Of an odd total the larger half comes first, but with SAME_UPPER last, as ONNX has it.
    """
    if "output_shape" in node.attributes:
        wanted = per_axis(node, "output_shape", 1)[-2:]
    elif mode in ("SAME_UPPER", "SAME_LOWER"):
        wanted = [size * stride for size, stride in zip(sizes, strides, strict=True)]
    else:
        return extra, explicit_pads(node) if mode == "NOTSET" else [(0, 0), (0, 0)]
    node.reject_unless(UNKNOWN not in reach, Why.SHAPE, f"the image's size must be known, found {list(sizes)}")
    totals = [r - w for r, w in zip(reach, wanted, strict=True)]
    more = [e + max(0, -t) for e, t in zip(extra, totals, strict=True)]
    return more, [_halves(max(0, t), mode) for t in totals]


def _halves(total: int, mode: str) -> tuple[int, int]:
    smaller, larger = total // 2, total - total // 2
    return (smaller, larger) if mode == "SAME_UPPER" else (larger, smaller)


CONVERTERS: dict[str, Converter] = {"Conv": _conv, "ConvTranspose": _conv_transpose}
