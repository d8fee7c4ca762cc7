"""Windows over images (N, C, H, W), as operators on (N, H, W, C) between transposes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ....delegate import RejectCode
from ....formats.tflite.export import TfliteTensor
from .call import LoweredCall, Write
from .movement import sliced

TO_NHWC, TO_NCHW = (0, 2, 3, 1), (0, 3, 1, 2)
VALID = 1


def _image(call: LoweredCall) -> tuple[TfliteTensor, int]:
    """The first operand as (N, H, W, C), and its number of spatial axes: one becomes the width."""
    x = call.x()
    spatial = x.rank - 2
    call.wanted(spatial in (1, 2), RejectCode.RANK, "windows of one or two dimensions", f"{spatial}")
    if spatial == 1:
        x = call.builtins.reshape(x, (x.shape[0], x.shape[1], 1, x.shape[2]))
    return call.builtins.transpose(x, TO_NHWC), spatial


def _back(call: LoweredCall, y: TfliteTensor) -> TfliteTensor:
    return call.builtins.reshape(call.builtins.transpose(y, TO_NCHW), call.shape)


def _two(call: LoweredCall, name: str, spatial: int, default: int = 1) -> tuple[int, int]:
    found = call.ints(name, [default] * spatial)
    return (found[0], found[1]) if spatial == 2 else (default, found[0])


def _bordered(call: LoweredCall, x: TfliteTensor, spatial: int, filling: float) -> TfliteTensor:
    pads = call.ints("pads", [0] * 2 * spatial)
    pairs = [(0, 0)] * (2 - spatial) + list(zip(pads[:spatial], pads[spatial:], strict=True))
    if not any(map(any, pairs)):
        return x
    shape = [x.shape[0], *(dim + sum(pair) for dim, pair in zip(x.shape[1:3], pairs, strict=True)), x.shape[3]]
    widths = call.builtins.constant(np.array([(0, 0), *pairs, (0, 0)], np.int32))
    value = call.scalar(filling, x.dtype)
    return call.builtins.op("PADV2", [x, widths, value], shape, None, "PadV2Options")


def write_conv(call: LoweredCall) -> list[TfliteTensor]:
    """A convolution; a group of convolutions for each channel is a depthwise one."""
    x, spatial = _image(call)
    weight = call.x(1)
    if spatial == 1:
        weight = call.builtins.reshape(weight, (*weight.shape[:2], 1, weight.shape[2]))
    count, depth, *size = weight.shape
    group = call.integer("group", 1)
    x = _bordered(call, x, spatial, 0.0)
    steps, spread = _two(call, "strides", spatial), _two(call, "dilations", spatial)
    rows, columns = (
        (dim - (taps - 1) * wide - 1) // step + 1
        for dim, taps, wide, step in zip(x.shape[1:3], size, spread, steps, strict=True)
    )
    shape = (x.shape[0], rows, columns, count)
    options = {
        "padding": VALID,
        "stride_h": steps[0],
        "stride_w": steps[1],
        "dilation_h_factor": spread[0],
        "dilation_w_factor": spread[1],
    }
    bias = call.x(2) if call.has(2) else call.builtins.constant(np.zeros(count, x.dtype))
    if group > 1 and depth == 1 and group == x.shape[3]:
        filters = call.builtins.transpose(weight, (1, 2, 3, 0))
        options["depth_multiplier"] = count // group
        made = call.builtins.op(
            "DEPTHWISE_CONV_2D", [x, filters, bias], shape, None, "DepthwiseConv2DOptions", **options
        )
        return [_back(call, made)]
    filters = call.builtins.transpose(weight, TO_NHWC)
    return [_back(call, call.builtins.op("CONV_2D", [x, filters, bias], shape, None, "Conv2DOptions", **options))]


def write_conv_transpose(call: LoweredCall) -> list[TfliteTensor]:
    """A transposed convolution of everything that the taps reach, cut to the output; constant weights are spread."""
    x, spatial = _image(call)
    group = call.integer("group", 1)
    weight = _taps(call, spatial)
    steps, pads = _two(call, "strides", spatial), call.ints("pads", [0] * 2 * spatial)
    before = pads[:spatial] if spatial == 2 else [0, pads[0]]
    full = [(dim - 1) * step + taps for dim, step, taps in zip(x.shape[1:3], steps, weight.shape[2:], strict=True)]
    out = list(call.shape[2:]) if spatial == 2 else [1, call.shape[2]]
    reach = [max(whole, start + size) for whole, start, size in zip(full, before, out, strict=True)]
    parts = _parts(call, x, group)
    made = []
    for number, part in enumerate(parts):
        own = _rows(call, weight, number * part.shape[3], part.shape[3])
        filters = call.builtins.transpose(own, (1, 2, 3, 0))
        shape = (x.shape[0], *reach, own.shape[1])
        operands = [call.builtins.ints(shape), filters, part]
        options = {"padding": VALID, "stride_h": steps[0], "stride_w": steps[1]}
        made.append(call.builtins.op("TRANSPOSE_CONV", operands, shape, None, "TransposeConvOptions", **options))
    y = made[0] if group == 1 else _joined(call, made)
    y = sliced(call, y, {1: (before[0], before[0] + out[0], 1), 2: (before[1], before[1] + out[1], 1)})
    if call.has(2):
        y = call.pair("ADD", y, call.x(2), "AddOptions")
    return [_back(call, y)]


def _taps(call: LoweredCall, spatial: int) -> TfliteTensor:
    """The weights (I, O, H, W) of a transposed convolution, with zeros between taps that are apart."""
    x, spread, known = call.x(1), _two(call, "dilations", spatial), call.term(1).constant
    shape = (*x.shape[:2], 1, x.shape[2]) if spatial == 1 else x.shape
    if known is not None:
        return call.builtins.constant(_spread(known.reshape(shape), spread))
    call.wanted(spread == (1, 1), RejectCode.NOT_CONSTANT, "weights of taps that are apart must be constant")
    return call.builtins.reshape(x, shape)


def _rows(call: LoweredCall, x: TfliteTensor, start: int, count: int) -> TfliteTensor:
    """Some rows of a tensor."""
    if count == x.shape[0]:
        return x
    if x.data is not None:
        return call.builtins.constant(x.data[start : start + count])
    return sliced(call, x, {0: (start, start + count, 1)})


def _spread(
    weight: np.ndarray[tuple[int, ...], np.dtype[np.generic]], spread: Sequence[int]
) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    """Taps with zeros between them."""
    if tuple(spread) == (1, 1):
        return weight
    *rest, rows, columns = weight.shape
    wide = np.zeros((*rest, (rows - 1) * spread[0] + 1, (columns - 1) * spread[1] + 1), weight.dtype)
    wide[..., :: spread[0], :: spread[1]] = weight
    return wide


def _parts(call: LoweredCall, x: TfliteTensor, group: int) -> list[TfliteTensor]:
    if group == 1:
        return [x]
    size = x.shape[3] // group
    shape = (*x.shape[:3], size)
    place = call.builtins.constant(np.array(3, np.int32))
    return call.builtins.ops("SPLIT", [place, x], [(None, shape)] * group, "SplitOptions", num_splits=group)


def _joined(call: LoweredCall, parts: Sequence[TfliteTensor]) -> TfliteTensor:
    shape = (*parts[0].shape[:3], sum(part.shape[3] for part in parts))
    return call.builtins.op("CONCATENATION", parts, shape, None, "ConcatenationOptions", axis=3)


def write_max_pool(call: LoweredCall) -> list[TfliteTensor]:
    """The largest element of each window."""
    call.wanted(len(call.results) == 1, RejectCode.OPERATOR, "the largest elements without their places")
    dilated = any(each != 1 for each in call.ints("dilations", []))
    call.wanted(not dilated, RejectCode.ATTRIBUTE, "windows without gaps")
    x, spatial = _image(call)
    lowest = -math.inf if x.dtype in ("float32", "float16") else float(np.iinfo(x.dtype).min)
    return [_back(call, _pooled(call, "MAX_POOL_2D", _bordered(call, x, spatial, lowest), spatial))]


def write_average_pool(call: LoweredCall) -> list[TfliteTensor]:
    """The mean of each window; where the border does not count, times what the border takes away."""
    x, spatial = _image(call)
    counts = bool(call.integer("count_include_pad", 0))
    y = _pooled(call, "AVERAGE_POOL_2D", _bordered(call, x, spatial, 0.0), spatial)
    if counts or not any(call.ints("pads", [])):
        return [_back(call, y)]
    factors = _shares(call, x.shape[1:3], y.shape[1:3], spatial).astype(x.dtype)[None, :, :, None]
    return [_back(call, call.pair("MUL", y, call.builtins.constant(factors), "MulOptions"))]


def _shares(
    call: LoweredCall, given: Sequence[int], made: Sequence[int], spatial: int
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """The elements of a window by those of them that are no border, for each window."""
    size, steps = _two(call, "kernel_shape", spatial), _two(call, "strides", spatial)
    pads = call.ints("pads", [0] * 2 * spatial)
    before = pads[:spatial] if spatial == 2 else [0, pads[0]]
    inside = []
    for axis in (0, 1):
        starts = np.arange(made[axis]) * steps[axis] - before[axis]
        inside.append(np.minimum(starts + size[axis], given[axis]) - np.maximum(starts, 0))
    share: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = size[0] * size[1] / np.multiply.outer(*inside)
    return share


def _pooled(call: LoweredCall, kind: str, x: TfliteTensor, spatial: int) -> TfliteTensor:
    size, steps = _two(call, "kernel_shape", spatial), _two(call, "strides", spatial)
    fits = all(dim >= taps for dim, taps in zip(x.shape[1:3], size, strict=True))
    call.wanted(fits, RejectCode.SHAPE, "windows inside of the input", f"{size} in {x.shape[1:3]}")
    rows, columns = ((dim - taps) // step + 1 for dim, taps, step in zip(x.shape[1:3], size, steps, strict=True))
    options = {
        "padding": VALID,
        "stride_h": steps[0],
        "stride_w": steps[1],
        "filter_height": size[0],
        "filter_width": size[1],
    }
    return call.builtins.op(kind, [x], (x.shape[0], rows, columns, x.shape[3]), None, "Pool2DOptions", **options)


def write_resize(call: LoweredCall) -> list[TfliteTensor]:
    """Images in another size, by the nearest elements or by lines between neighbors."""
    mode, how = call.text("mode", "nearest"), call.text("coordinate_transformation_mode", "half_pixel")
    x = call.x()
    call.wanted(x.rank == 4 and x.shape[:2] == call.shape[:2], RejectCode.RANK, "images in another size")
    fits = how in ("half_pixel", "align_corners", "asymmetric") and mode == "linear"
    call.wanted(fits, RejectCode.ATTRIBUTE, "a way of resizing that TensorFlow Lite has", f"{mode} {how}")
    options = {"align_corners": how == "align_corners", "half_pixel_centers": how == "half_pixel"}
    given = [call.builtins.transpose(x, TO_NHWC), call.builtins.ints(call.shape[2:])]
    batch, channels, rows, columns = call.shape
    y = call.builtins.op(
        "RESIZE_BILINEAR", given, (batch, rows, columns, channels), None, "ResizeBilinearOptions", **options
    )
    return [_back(call, y)]


OPERATORS: dict[str, Write] = {
    "Conv": write_conv,
    "ConvTranspose": write_conv_transpose,
    "MaxPool": write_max_pool,
    "AveragePool": write_average_pool,
    "Resize": write_resize,
}
"""Writers of this file by ONNX's names."""
