"""Convolutions and pools: windows over height and width, the backend's axes (N, C, H, W)."""

from __future__ import annotations

import math

from ....delegate import Kernel, RejectCode
from ....ir.primitives import AvgPoolFusion, Conv2DFusion, Conv2dTransposeFusion, MaxPoolFusion
from ....semantics.geometry import WindowPlaces, conv_sliding, places_of, pool_sliding
from ....semantics.operands import operand, primitive_of, required
from ....semantics.spreading import spread_places
from ....tensors.tensor import Tensor
from ..lowering import Lowering, wanted
from ..term import Lowered, Term
from .extremes import extreme
from .fused import fused, fused_or_none
from .means import mean
from .reshaping import reshaped

NCHW = (0, 3, 1, 2)
"""The order of axes (N, H, W, C) that a backend's spatial operators take."""
SPATIAL = (2, 3)


def lower_conv2d_fusion(kernel: Kernel, lowering: Lowering) -> Lowered:
    """A convolution; the weight (Cout, Kh, Kw, Cin/group) becomes (Cout, Cin/group, Kh, Kw)."""
    primitive, x = primitive_of(kernel, Conv2DFusion), lowering.value(required(kernel, 0))
    weight, bias = _weight(kernel, lowering), operand(kernel, 2)
    places = places_of(conv_sliding(primitive, weight.shape), x.shape)
    shape = (x.shape[0], weight.shape[0], *places.output)
    operands = [lowering.in_order(x, NCHW), lowering.in_order(weight, NCHW), _bias(lowering, bias)]
    group = primitive.group or weight.shape[0]
    y = lowering.emit("Conv", operands, x.dtype, shape, group=group, dilations=places.dilations, **_window(places, x))
    return _from_nchw(fused(lowering, y, primitive.activation_type))


def lower_conv2d_transpose_fusion(kernel: Kernel, lowering: Lowering) -> Lowered:
    """A transposed convolution; the weight (Cin, Kh, Kw, Cout/group) becomes (Cin, Cout/group, Kh, Kw).

    Taps beyond the output are cut off as padding; places of the output beyond the taps are output padding.
    """
    primitive, x = primitive_of(kernel, Conv2dTransposeFusion), lowering.value(required(kernel, 0))
    weight, bias = _weight(kernel, lowering), operand(kernel, 2)
    group = primitive.group or 1
    places = spread_places(primitive, weight.shape, x.shape)
    after, more = [], []
    for axis in (0, 1):
        reach = (x.shape[1 + axis] - 1) * places.strides[axis] + (places.size[axis] - 1) * places.dilations[axis] + 1
        rest = reach - places.before[axis] - places.output[axis]
        after.append(max(rest, 0))
        more.append(max(-rest, 0))
    fits = min(*places.before, *places.output) >= 0 and all(
        extra < max(step, dilation)
        for extra, step, dilation in zip(more, places.strides, places.dilations, strict=True)
    )
    wanted(fits, RejectCode.ATTRIBUTE, "the output must lie where the taps reach", f"padding {places.before}, {more}")
    y = lowering.emit(
        "ConvTranspose",
        [lowering.in_order(x, NCHW), lowering.in_order(weight, NCHW), _bias(lowering, bias)],
        x.dtype,
        (x.shape[0], weight.shape[3] * group, *places.output),
        group=group,
        dilations=places.dilations,
        strides=places.strides,
        kernel_shape=places.size,
        pads=(*places.before, *after),
        output_padding=tuple(more),
    )
    return _from_nchw(fused(lowering, y, primitive.activation_type))


def lower_max_pool_fusion(kernel: Kernel, lowering: Lowering) -> Lowered:
    """A pool of maxima; a window that holds padding alone is left to the host."""
    primitive, x = primitive_of(kernel, MaxPoolFusion), lowering.value(required(kernel, 0))
    return _pooled(lowering, "MaxPool", x, primitive)


def lower_avg_pool_fusion(kernel: Kernel, lowering: Lowering) -> Lowered:
    """A pool of means, padding not counted."""
    primitive, x = primitive_of(kernel, AvgPoolFusion), lowering.value(required(kernel, 0))
    return _pooled(lowering, "AveragePool", x, primitive)


def _pooled(lowering: Lowering, op: str, x: Lowered, primitive: MaxPoolFusion | AvgPoolFusion) -> Lowered:
    """A pool over axes 1 and 2; the axes behind them become one axis of channels meanwhile."""
    wanted(x.rank >= 3, RejectCode.RANK, "a pool takes 3 dimensions and more", f"has {x.rank}")
    image = reshaped(lowering, x, (*x.shape[:3], math.prod(x.shape[3:])))
    term = _pooled_image(lowering, op, image, primitive)
    y = _from_nchw(fused_or_none(lowering, term, primitive.activation_type))
    return reshaped(lowering, y, (*y.shape[:3], *x.shape[3:]))


def _pooled_image(lowering: Lowering, op: str, x: Lowered, primitive: MaxPoolFusion | AvgPoolFusion) -> Term:
    sliding = pool_sliding(primitive, x.shape)
    lengths = (len(sliding.size), len(sliding.strides), len(sliding.pads))
    wanted(lengths == (2, 2, 4), RejectCode.ATTRIBUTE, "2 kernel sizes, 2 strides and 4 pads", f"{lengths}")
    places = places_of(sliding, x.shape)
    source = lowering.in_order(x, NCHW)
    shape = (x.shape[0], x.shape[3], *places.output)
    if places.size == x.shape[1:3] and places.before == (0, 0) and places.output == (1, 1):
        if op == "MaxPool":
            return extreme(lowering, "ReduceMax", source, lowering.ints(SPATIAL), shape)
        return mean(lowering, source, SPATIAL, shape)
    after = places.after(*x.shape[1:3])
    found = f"padding {places.before} and {after}, window {places.size}"
    fits = all(max(pads) < size for *pads, size in zip(places.before, after, places.size, strict=True))
    wanted(fits, RejectCode.ATTRIBUTE, "padding below the window", found)
    return lowering.emit(op, [source], x.dtype, shape, **_window(places, x))


def _window(places: WindowPlaces, x: Lowered) -> dict[str, tuple[int, ...]]:
    """Kernel, strides and pads; pads after the input that no window reaches are left out."""
    after = tuple(max(value, 0) for value in places.after(*x.shape[1:3]))
    return {"kernel_shape": places.size, "strides": places.strides, "pads": (*places.before, *after)}


def _weight(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Filters (O, Kh, Kw, I); constant, or made of constants."""
    tensor = required(kernel, 1)
    value = lowering.value(tensor)
    wanted(value.rank == len(NCHW), RejectCode.RANK, "a weight of 4 dimensions", f"has {value.rank}")
    return value


def _bias(lowering: Lowering, bias: Tensor | None) -> Term | None:
    return None if bias is None else lowering.in_order(lowering.value(bias))


def _from_nchw(term: Term) -> Lowered:
    batch, channels, height, width = term.shape
    return Lowered((batch, height, width, channels), term.dtype, NCHW, term)


LOWERINGS = {
    "Conv2DFusion": lower_conv2d_fusion,
    "Conv2dTransposeFusion": lower_conv2d_transpose_fusion,
    "MaxPoolFusion": lower_max_pool_fusion,
    "AvgPoolFusion": lower_avg_pool_fusion,
}
