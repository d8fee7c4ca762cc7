"""Convolutions and pools, axes (N, C, H, W)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .call import OperatorCall
from .operator import FLOATS, INDICES, OnnxOperator, Write
from .quantization import without_zero_point


def _pads(call: OperatorCall) -> tuple[list[int], list[int]]:
    rank = len(call.shape) - 2
    pads = call.ints("pads", [0] * 2 * rank)
    return pads[:rank], pads[rank:]


def _ones(call: OperatorCall, name: str) -> list[int]:
    return call.ints(name, [1] * (len(call.shape) - 2))


def _filters(call: OperatorCall, group: int, handle: Any) -> Any:
    """The weight, whose handle is given, split into groups along its first axis: (group, first / group, ...).

    A constant is handed over in its last shape: a reshape of it would not be fused into the convolution.
    """
    from openvino import opset16

    weight = call.term(1)
    if group == 1:
        return handle
    shape = (group, weight.shape[0] // group, *weight.shape[1:])
    if weight.constant is not None:
        return call.constant(np.ascontiguousarray(weight.constant).reshape(shape))
    return opset16.reshape(handle, call.positions(shape), False).output(0)


def _biased(call: OperatorCall, y: Any, position: int = 2) -> Any:
    from openvino import opset16

    if not call.has(position):
        return y
    bias = call.term(position)
    shape = (1, bias.shape[0], *[1] * (len(call.shape) - 2))
    if bias.constant is not None:
        return opset16.add(y, call.constant(bias.constant.reshape(shape))).output(0)
    return opset16.add(y, opset16.reshape(bias.handle, call.positions(shape), False).output(0)).output(0)


def write_conv(call: OperatorCall) -> list[Any]:
    """A convolution."""
    from openvino import opset16

    group, (before, after) = call.integer("group", 1), _pads(call)
    make = opset16.convolution if group == 1 else opset16.group_convolution
    filters = _filters(call, group, call.term(1).handle)
    y = make(call.inputs[0], filters, _ones(call, "strides"), before, after, _ones(call, "dilations"))
    return [_biased(call, y.output(0))]


def write_conv_transpose(call: OperatorCall) -> list[Any]:
    """A transposed convolution."""
    from openvino import opset16

    group, (before, after) = call.integer("group", 1), _pads(call)
    make = opset16.convolution_backprop_data if group == 1 else opset16.group_convolution_backprop_data
    y = make(
        call.inputs[0],
        _filters(call, group, without_zero_point(call.term(1).handle)),
        _ones(call, "strides"),
        pads_begin=before,
        pads_end=after,
        dilations=_ones(call, "dilations"),
        auto_pad="EXPLICIT",
        output_padding=call.ints("output_padding", [0] * (len(call.shape) - 2)),
    )
    return [_biased(call, y.output(0))]


def write_deform_conv(call: OperatorCall) -> list[Any]:
    """A convolution whose windows have their elements where offsets say, up to one before and behind the image."""
    from openvino import opset16

    before, after = _pads(call)
    x, weight, offsets = (call.term(position).handle for position in range(3))
    y = opset16.deformable_convolution(
        x,
        offsets,
        weight,
        _ones(call, "strides"),
        before,
        after,
        _ones(call, "dilations"),
        call.term(4).handle if call.has(4) else None,
        group=call.integer("group", 1),
        deformable_group=call.integer("offset_group", 1),
        bilinear_interpolation_pad=True,
    )
    return [_biased(call, y.output(0), 3)]


def write_max_pool(call: OperatorCall) -> list[Any]:
    """The largest element of each window."""
    from openvino import opset16

    before, after = _pads(call)
    size = call.ints("kernel_shape", ())
    y = opset16.max_pool(call.inputs[0], _ones(call, "strides"), _ones(call, "dilations"), before, after, size)
    return [y.output(0)]


def write_average_pool(call: OperatorCall) -> list[Any]:
    """The mean of each window, padding counted or not."""
    from openvino import opset14

    before, after = _pads(call)
    left_out = not call.integer("count_include_pad", 0)
    size = call.ints("kernel_shape", ())
    return [opset14.avg_pool(call.inputs[0], _ones(call, "strides"), before, after, size, left_out).output(0)]


def _global(name: str) -> Write:
    def write(call: OperatorCall) -> list[Any]:
        from openvino import opset16

        axes = call.positions(range(2, len(call.shape)))
        return [getattr(opset16, name)(call.inputs[0], axes, True).output(0)]

    return write


def write_resize(call: OperatorCall) -> list[Any]:
    """Images in another size, by the neighbors of each new position."""
    from openvino import opset16

    axes = [axis for axis, dim in enumerate(call.shape) if dim != call.term(0).shape[axis]]
    sizes = call.positions([call.shape[axis] for axis in axes])
    mode = call.text("mode", "nearest")
    y = opset16.interpolate(
        call.inputs[0],
        sizes,
        {"linear": "linear_onnx"}.get(mode, mode),
        "sizes",
        coordinate_transformation_mode=call.text("coordinate_transformation_mode", "half_pixel"),
        nearest_mode=call.text("nearest_mode", "round_prefer_floor"),
        cube_coeff=call.number("cubic_coeff_a", -0.75),
        axes=call.positions(axes),
    )
    return [y.output(0)]


OPERATORS = {
    "Resize": OnnxOperator(write_resize, FLOATS, None, {1: FLOATS, 2: FLOATS, 3: INDICES}),
    "Conv": OnnxOperator(write_conv),
    "ConvTranspose": OnnxOperator(write_conv_transpose),
    "DeformConv": OnnxOperator(write_deform_conv),
    "MaxPool": OnnxOperator(write_max_pool),
    "AveragePool": OnnxOperator(write_average_pool),
    "GlobalAveragePool": OnnxOperator(_global("reduce_mean")),
    "GlobalMaxPool": OnnxOperator(_global("reduce_max")),
}
