"""Convolutions and pools of images (N, H, W, C)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....delegate import RejectCode
from ....formats.tflite.export import TfliteTensor
from ....ir.primitives import AvgPoolFusion, Conv2DFusion, Conv2dTransposeFusion, MaxPoolFusion
from ....semantics.geometry import WindowPlaces, conv_sliding, places_of, pool_sliding
from ....semantics.operands import primitive_of
from ....semantics.spreading import spread_places
from ..node import DirectNode
from ..table import Direct
from ..weights import bias_type, biased, weights_of

SAME, VALID = 0, 1
"""The schema's numbers of paddings."""
Pair = tuple[int, int]


def conv_2d(node: DirectNode) -> None:
    """CONV_2D; DEPTHWISE_CONV_2D where each channel of the input is a group of its own."""
    primitive, x = primitive_of(node.kernel, Conv2DFusion), node.x()
    weight = node.source(1)
    count, _, _, depth = (int(dim) for dim in weight.shape)
    group, channels = primitive.group or count, int(x.shape[3])
    places = places_of(conv_sliding(primitive, weight.shape), x.shape)
    x, padding = placed(node, x, places, node.zero_of(x))
    options: dict[str, Any] = {
        "padding": padding,
        "stride_h": places.strides[0],
        "stride_w": places.strides[1],
        "dilation_h_factor": places.dilations[0],
        "dilation_w_factor": places.dilations[1],
        **node.fused(),
    }
    bias = biased(node, count)
    if group == channels and depth == 1 and group > 1:
        taken = not bias_type(bias, x)
        node.wanted(taken, RejectCode.DTYPE, "depthwise convolutions of int16 have a bias of int64", "is int32")
        filters = weights_of(node, (3, 1, 2, 0), channel=3)
        node.wanted(count % group == 0, RejectCode.SHAPE, "as many filters for each channel", f"are {count}")
        options["depth_multiplier"] = count // group
        node.write("DEPTHWISE_CONV_2D", [x, filters, *bias], "DepthwiseConv2DOptions", **options)
        return
    node.wanted(group * depth == channels, RejectCode.SHAPE, "groups of channels", f"{group} of {depth}")
    grouped_bytes = group > 1 and x.dtype in ("uint8", "int16")
    node.wanted(not grouped_bytes, RejectCode.DTYPE, "convolutions in groups take float32 or int8", f"is {x.dtype}")
    filters = weights_of(node, (0, 1, 2, 3), channel=0)
    node.write("CONV_2D", [x, filters, *bias], "Conv2DOptions", **options, **bias_type(bias, x))


def placed(node: DirectNode, x: TfliteTensor, places: WindowPlaces, filling: float | None) -> tuple[TfliteTensor, int]:
    """The input and the padding that give windows their places: a border of its own where neither SAME nor VALID does.

    Args:
        node: that is written.
        x: (N, H, W, C).
        places: of the windows.
        filling: of the border; None: there may be none.
    """
    size: Pair = (int(x.shape[1]), int(x.shape[2]))
    before, after = places.before, tuple(max(0, each) for each in places.after(*size))
    if _same(places, size):
        return x, SAME
    if not any((*before, *after)):
        reach = [(taps - 1) * wide + 1 for taps, wide in zip(places.size, places.dilations, strict=True)]
        fits = all(dim >= length for dim, length in zip(size, reach, strict=True))
        node.wanted(fits, RejectCode.SHAPE, "windows inside of the input", f"{reach} in {size}")
        return x, VALID
    node.wanted(filling is not None, RejectCode.ATTRIBUTE, "windows placed as by SAME or VALID", f"{before} {after}")
    pairs = [(0, 0), (before[0], after[0]), (before[1], after[1]), (0, 0)]
    return node.padded(x, pairs, filling or 0.0), VALID


def _same(places: WindowPlaces, size: Pair) -> bool:
    """Whether windows lie as SAME puts them, and reach beyond the input."""
    reaches = False
    for axis in (0, 1):
        stride, dim = places.strides[axis], size[axis]
        extent = (places.size[axis] - 1) * places.dilations[axis] + 1
        windows = -(-dim // stride)
        total = max(0, (windows - 1) * stride + extent - dim)
        if places.output[axis] != windows or places.before[axis] != total // 2:
            return False
        reaches = reaches or total > 0
    return reaches


def pool(kind: str) -> Direct:
    """A writer of a pool."""

    def write(node: DirectNode) -> None:
        primitive, x = node.kernel.primitive, node.x()
        assert isinstance(primitive, AvgPoolFusion | MaxPoolFusion)
        node.wanted(x.rank == 4, RejectCode.RANK, "a pool takes 4 dimensions", f"has {x.rank}")
        sliding = pool_sliding(primitive, x.shape)
        lengths = (len(sliding.size), len(sliding.strides), len(sliding.pads))
        node.wanted(lengths == (2, 2, 4), RejectCode.ATTRIBUTE, "2 kernel sizes, 2 strides and 4 pads", f"{lengths}")
        places = places_of(sliding, x.shape)
        after = places.after(*x.shape[1:3])
        fits = all(max(pads) < size for *pads, size in zip(places.before, after, places.size, strict=True))
        node.wanted(fits, RejectCode.ATTRIBUTE, "padding below the window")
        node.one_meaning()
        lowest = -math.inf if x.dtype == "float32" else float(np.iinfo(x.dtype).min) if x.quantization else None
        x, padding = placed(node, x, places, lowest if kind == "MAX_POOL_2D" else None)
        options: dict[str, Any] = {
            "padding": padding,
            "stride_h": places.strides[0],
            "stride_w": places.strides[1],
            "filter_height": places.size[0],
            "filter_width": places.size[1],
            **node.fused(),
        }
        node.write(kind, [x], "Pool2DOptions", **options)

    write.__doc__ = f"{kind}."
    return write


def transpose_conv(node: DirectNode) -> None:
    """TRANSPOSE_CONV; where its padding puts the output elsewhere, of everything that the taps reach, which is cut."""
    primitive, x, weight = primitive_of(node.kernel, Conv2dTransposeFusion), node.x(), node.source(1)
    group, count = primitive.group or 1, int(weight.shape[3])
    node.wanted(group == 1, RejectCode.ATTRIBUTE, "transposed convolutions have one group", f"has {group}")
    places = spread_places(primitive, weight.shape, x.shape)
    node.wanted(places.dilations == (1, 1), RejectCode.ATTRIBUTE, "taps lie side by side", f"{places.dilations}")
    node.wanted(min(*places.before, *places.output) >= 0, RejectCode.ATTRIBUTE, "nothing is added before the output")
    full = tuple(
        max((dim - 1) * stride + size, before + out)
        for dim, stride, size, before, out in zip(
            x.shape[1:3], places.strides, places.size, places.before, places.output, strict=True
        )
    )
    padding, size = _spread(places, full, x.shape[1:3])
    reach = [(dim - taps) // step + 1 for dim, taps, step in zip(size, places.size, places.strides, strict=True)]
    node.wanted(padding == SAME or reach == list(x.shape[1:3]), RejectCode.ATTRIBUTE, "an output that taps reach")
    fits = not node.has(2) or math.prod(node.source(2).shape) == count
    node.wanted(fits, RejectCode.SHAPE, "a bias for each channel")
    shape, bias = (int(x.shape[0]), *size, count), biased(node)
    options: dict[str, Any] = {
        "padding": padding,
        "stride_h": places.strides[0],
        "stride_w": places.strides[1],
        **node.fused(),
        **bias_type(bias, x),
    }
    filters = weights_of(node, (3, 1, 2, 0), channel=0, kept=3)
    operands = [node.builtins.ints(shape), filters, x, *bias]
    if shape == node.shape:
        node.write("TRANSPOSE_CONV", operands, "TransposeConvOptions", **options)
        return
    whole = node.computed("TRANSPOSE_CONV", operands, shape, "TransposeConvOptions", **options)
    begin = node.builtins.ints([0, *places.before, 0])
    node.move("SLICE", [whole, begin, node.builtins.ints(node.shape)], "SliceOptions")


def _spread(places: WindowPlaces, full: Sequence[int], given: Sequence[int]) -> tuple[int, Pair]:
    """The padding of the output, and its height and width."""
    out = places.output
    for padding in (VALID, SAME):
        covered = [dim if padding == SAME else dim - size + 1 for dim, size in zip(out, places.size, strict=True)]
        totals = [
            max(0, (-(-dim // stride) - 1) * stride + size - whole)
            for dim, stride, size, whole in zip(covered, places.strides, places.size, out, strict=True)
        ]
        rows = [(dim + stride - 1) // stride for dim, stride in zip(covered, places.strides, strict=True)]
        if min(covered) > 0 and [total // 2 for total in totals] == list(places.before) and rows == list(given):
            return padding, out
    return VALID, (full[0], full[1])


WRITERS: dict[str, Direct] = {
    "Conv2DFusion": conv_2d,
    "Conv2dTransposeFusion": transpose_conv,
    "AvgPoolFusion": pool("AVERAGE_POOL_2D"),
    "MaxPoolFusion": pool("MAX_POOL_2D"),
}
"""Writers of this file by our names of operators."""
