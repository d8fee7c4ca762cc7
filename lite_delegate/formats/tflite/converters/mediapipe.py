"""The custom operators of MediaPipe's models.

Their definitions are public: MediaPipe's ``util/tflite/operations`` has kernels for them, TensorFlow Lite's delegate
for GPUs reads their options. Where an operator of ours does the same, it is that; the rest are Custom nodes of type
``mediapipe.X``, whose kernels are among those of the CPU.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any

from ....basics.counted import counted
from ....flatbuffer.problem import FormatProblem
from ....ir import Format, Value
from ....ir.custom import REASON, VERSION, encoded
from ...rejection import Why
from ..conversion import Converter, OperatorConversion
from .activation import fused_node
from .convolution import kernel_size
from .custom_options import integer, integers, number, options_bytes, options_of

_DOMAIN = "mediapipe"
_TRANSPOSE = struct.Struct("<3i")
"""``TfLiteTransposeConvParams``: padding, stride along the width, along the height; later releases add more."""
_POOL = struct.Struct("<6i")
"""``TfLitePoolParams``: padding, strides and filter (width, height), activation; what follows is computed."""
_PADDINGS = {1: "SAME", 2: "VALID"}
"""``TfLitePadding``, whose numbers are not those of the schema."""


def convolution_2d_transpose_bias(c: OperatorConversion) -> None:
    """Conv2dTransposeFusion; weights (Cout, H, W, Cin) become (Cin, H, W, Cout), pads are worked out here.

    The file does not give the output's size: with SAME it is ``stride * (size - 1) + kernel`` without
    ``max(0, kernel - (size - 1) % stride - 1)`` lines and columns, of which the lesser half is at the beginning.
    """
    padding, *across_down = _unpacked(c, _TRANSPOSE)
    stride = _from_one([across_down[1], across_down[0]], "stride")
    x, weight = c.x(), c.x(1)
    kernel = kernel_size(c, weight)
    c.channels(weight, 0)
    pads = [0, 0, 0, 0]
    for axis in range(2) if _padding(padding) == "SAME" else ():
        size = c.dim(x, 1 + axis)
        c.reject_unless(size > 0 or stride[axis] == 1, Why.SHAPE, f"height and width of '{x.name}' must be known")
        total = max(0, kernel[axis] - (size - 1) % stride[axis] - 1)
        pads[2 * axis], pads[2 * axis + 1] = total // 2, total - total // 2
    c.node(
        "Conv2dTransposeFusion",
        [x, c.transposed(weight, (3, 1, 2, 0), Format.KHWC), c.x(2)],
        c.y(),
        format=Format.NHWC,
        kernel_size=kernel,
        stride=stride,
        dilation=[1, 1],
        pad_mode="PAD",
        pad_list=pads,
        output_paddings=[0, 0],
        group=1,
        in_channel=max(0, c.dim(weight, 3)),
        out_channel=max(0, c.dim(weight, 0)),
    )


def max_pooling_with_argmax_2d(c: OperatorConversion) -> None:
    """MaxPoolFusion for the elements, which delegates may take, and a node of its own for their places."""
    window, activation = _window(c)
    fused_node(c, "MaxPoolFusion", [c.x()], c.y(), activation, format=Format.NHWC, **window)
    _custom(c, "MaxPoolingArgmax2D", [c.x()], [c.y(1)], **window)


def max_unpooling_2d(c: OperatorConversion) -> None:
    """NOTE: as MediaPipe's kernel does, it looks at neither padding nor activation."""
    window, _ = _window(c)
    window.pop("pad_mode")
    _custom(c, "MaxUnpooling2D", [c.x(), c.x(1)], [c.y()], **window)


def landmarks_2_transform_matrix(c: OperatorConversion) -> None:
    options = options_of(c)
    turns = {name: integer(options, name, -1) for name in ("left_rotation_idx", "right_rotation_idx")}
    if c.operator.custom.endswith("V2") or c.operator.version == 2:
        sizes = {name: integer(options, name) for name in ("output_height", "output_width")}
        factors = {name: _finite(number(options, name), name) for name in ("scale_x", "scale_y")}
        angle = _finite(number(options, "target_rotation_radians"), "target_rotation_radians")
        subset = _positions(integers(options, "subset_idxs"))
        more = {**turns, **sizes, **factors, "target_rotation_radians": angle}
        _custom(c, "Landmarks2TransformMatrixV2", [c.x()], [c.y()], subset_idxs=subset, **more)
        return
    _check_version(c, 1)
    dimensions = integer(options, "dimensions", 3)
    c.reject_unless(dimensions == 3, Why.ATTRIBUTE, f"landmarks of {counted(dimensions, 'dimension')}; 3 are defined")
    _custom(
        c,
        "Landmarks2TransformMatrixV1",
        [c.x()],
        [c.y()],
        subset=_positions(integers(options, "subset")),
        bbox_size_multiplier=_finite(number(options, "bbox_size_multiplier"), "bbox_size_multiplier"),
        landmarks_range=integer(options, "landmarks_range"),
        input_hw=integers(options, "input_hw"),
        output_hw=integers(options, "output_hw"),
        **turns,
    )


def transform_landmarks(c: OperatorConversion) -> None:
    """Version 2 has no options: a landmark has as many coordinates as the last dimension."""
    if c.operator.version == 2:
        dimensions = c.dim(c.y(), -1)
        c.reject_unless(dimensions in (2, 3), Why.SHAPE, f"landmarks of {dimensions} coordinates; 2 or 3 are defined")
        _custom(c, "TransformLandmarks", [c.x(), c.x(1)], [c.y()], dimensions=dimensions, scale=1.0)
        return
    _check_version(c, 1)
    options = options_of(c)
    found = {"dimensions": integer(options, "dimensions", 3), "scale": _finite(number(options, "scale", 1.0), "scale")}
    _custom(c, "TransformLandmarks", [c.x(), c.x(1)], [c.y()], **found)


def transform_tensor_bilinear(c: OperatorConversion) -> None:
    """Version 1 is called TransformTensor."""
    options = options_of(c)
    if c.operator.version == 2:
        height, width = integer(options, "output_height"), integer(options, "output_width")
    else:
        _check_version(c, 1)
        mode, size = options.get("mode", "bilinear"), integers(options, "output_size")
        c.reject_unless(mode == "bilinear", Why.ATTRIBUTE, f"mode {mode!r}; 'bilinear' is defined")
        if len(size) != 2:
            raise FormatProblem(f"expected height and width, found {size}", "output_size")
        height, width = size
    sizes = {"output_height": height, "output_width": width}
    half = c.operator.version == 2
    _custom(c, "TransformTensorBilinear", [c.x(), c.x(1)], [c.y()], **sizes, half_pixels=half)


def _custom(
    c: OperatorConversion, name: str, inputs: Sequence[Value], outputs: Sequence[Value], **attributes: Any
) -> None:
    kept = {**attributes, VERSION: c.operator.version, REASON: f"{Why.OPERATOR}: no operator of ours does this"}
    blobs = [(each, encoded(value)) for each, value in kept.items()]
    c.plain_node("Custom", inputs, outputs, type=f"{_DOMAIN}.{name}", attr=blobs)


def _check_version(c: OperatorConversion, version: int) -> None:
    found = c.operator.version
    c.reject_unless(found == version, Why.ATTRIBUTE, f"version {found} of {c.operator.custom} is not defined")


def _unpacked(c: OperatorConversion, layout: struct.Struct) -> tuple[int, ...]:
    data = options_bytes(c)
    if len(data) < layout.size:
        raise FormatProblem(f"expected at least {counted(layout.size, 'byte')}, found {len(data):,}", "custom_options")
    return layout.unpack_from(data)


def _window(c: OperatorConversion) -> tuple[dict[str, Any], int]:
    """The window of a pool as attributes, and the number of its activation."""
    padding, stride_w, stride_h, filter_w, filter_h, activation = _unpacked(c, _POOL)
    return {
        "kernel_size": _from_one([filter_h, filter_w], "filter"),
        "strides": _from_one([stride_h, stride_w], "stride"),
        "pad_mode": _padding(padding),
    }, activation


def _padding(number: int) -> str:
    if number not in _PADDINGS:
        raise FormatProblem(f"expected 1 or 2, found {number}", "padding")
    return _PADDINGS[number]


def _from_one(sizes: list[int], name: str) -> list[int]:
    if min(sizes) < 1:
        raise FormatProblem(f"expected sizes of at least 1, found {sizes}", name)
    return sizes


def _positions(positions: list[int]) -> list[int]:
    if not positions or min(positions) < 0:
        raise FormatProblem("expected positions of landmarks", "subset")
    return positions


def _finite(value: float, name: str) -> float:
    if not math.isfinite(value):
        raise FormatProblem(f"expected a finite number, found {value}", name)
    return value


CUSTOM: dict[str, Converter] = {
    "Convolution2DTransposeBias": convolution_2d_transpose_bias,
    "MaxPoolingWithArgmax2D": max_pooling_with_argmax_2d,
    "MaxUnpooling2D": max_unpooling_2d,
    "Landmarks2TransformMatrix": landmarks_2_transform_matrix,
    "Landmarks2TransformMatrixV2": landmarks_2_transform_matrix,
    "TransformLandmarks": transform_landmarks,
    "TransformTensor": transform_tensor_bilinear,
    "TransformTensorBilinear": transform_tensor_bilinear,
}
"""Converters by the names of custom operators."""
