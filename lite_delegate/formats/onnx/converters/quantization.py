"""ONNX's quantization: to integers and back, and products of integers."""

from __future__ import annotations

from math import prod

import numpy as np
from lite_delegate_kernels.custom.narrow import NARROW

from ....ir import Value
from ...rejection import Why
from ..conversion import Converter, OnnxNode
from ..protobuf.types import Dtype, numpy_type
from ..quantization import Scaling, bias_scale, dequantized, narrowly_quantized, quantized
from .convolution import convolve
from .dense import product

EXACT_IN_SINGLE = 1 << 24
"""Whole numbers up to this are exact in float32, in whatever order they are added."""


def _scaling(node: OnnxNode, scale: int, axis: int = 0, block: int = 0) -> Scaling:
    """The scale at an input's position and the zero point behind it."""
    return Scaling(node.x(scale), node.optional(scale + 1), axis, block)


def _own_scaling(node: OnnxNode) -> Scaling:
    return _scaling(node, 1, node.get("axis", 1), node.get("block_size", 0))


def _named_type(node: OnnxNode, attribute: str) -> Dtype | None:
    number = node.get(attribute, 0)
    return numpy_type(number) if number else None


def _quantize_linear(node: OnnxNode) -> Value:
    x, zero_point = node.x(0), node.optional(2)
    narrow = node.get("output_dtype", 0) if zero_point is None else node.builder.narrow.get(zero_point, 0)
    if narrow in NARROW:
        precision = _named_type(node, "precision") or node.dtype(node.x(1))
        return narrowly_quantized(node, node.cast(x, precision), _own_scaling(node), narrow)
    found = _named_type(node, "output_dtype") or np.dtype(np.uint8)
    precision = _named_type(node, "precision") or node.dtype(node.x(1))
    dtype = found if zero_point is None else node.dtype(zero_point)
    return quantized(node, node.cast(x, precision), _own_scaling(node), dtype)


def _dequantize_linear(node: OnnxNode) -> Value:
    dtype = _named_type(node, "output_dtype") or node.dtype(node.x(1))
    return dequantized(node, node.x(0), _own_scaling(node), dtype)


def _q_linear_conv(node: OnnxNode) -> Value:
    x_scaling, weight_scaling, y_scaling = _scaling(node, 1), _scaling(node, 4), _scaling(node, 6)
    single = np.dtype(np.float32)
    x = dequantized(node, node.x(0), x_scaling, single)
    weight = dequantized(node, node.x(3), weight_scaling, single)
    bias = node.optional(8)
    if bias is not None:
        bias = dequantized(node, bias, Scaling(bias_scale(node, x_scaling, weight_scaling), None), single)
    return quantized(node, convolve(node, x, weight, bias), y_scaling, node.dtype(node.x(7)))


def _q_linear_matmul(node: OnnxNode) -> Value:
    dtype = node.dtype(node.x(1))
    a, b = node.x(0), node.x(3)
    # One scale for each row of a, for each column of b.
    left = dequantized(node, a, _scaling(node, 1, max(0, node.rank(a) - 2)), dtype)
    right = dequantized(node, b, _scaling(node, 4, node.rank(b) - 1), dtype)
    y = product(node, left, right)
    return quantized(node, y, _scaling(node, 6, max(0, node.rank(y) - 2)), node.dtype(node.x(7)))


def _centered(node: OnnxNode, x: Value, zero_point: Value | None, dtype: str, axis: int) -> Value:
    """``x - zero_point`` as numbers of ``dtype``, which hold it exactly."""
    wide = node.cast(x, dtype)
    if zero_point is None:
        return wide
    count = prod(node.shape(zero_point))
    point = node.cast(zero_point, dtype)
    if count > 1 and len(node.shape(zero_point)) == 1:
        point = node.reshape(point, [-1 if i == axis else 1 for i in range(node.rank(x))])
    elif count == 1:
        point = node.reshape(point, [1])
    return node.emit("SubFusion", wide, point)


def _as_it_is(node: OnnxNode) -> Value:
    node.reject(Why.OPERATOR, "there is no such operator in the .ms format")


def _conv_integer(node: OnnxNode) -> Value:
    """The sums are whole numbers; where float32 does not hold them all exactly, the operator is Custom."""
    x, weight = node.x(0), node.x(1)
    terms = prod(node.shape(weight)[1:])
    is_exact = terms * 255 * 255 < EXACT_IN_SINGLE
    node.reject_unless(is_exact, Why.SHAPE, f"sums of {terms} products, which float32 may not hold")
    data = _centered(node, x, node.optional(2), "float32", 1)
    kernels = _centered(node, weight, node.optional(3), "float32", 0)
    return node.cast(convolve(node, data, kernels, None), "int32")


CONVERTERS: dict[str, Converter] = {
    "ConvInteger": _conv_integer,
    "DequantizeLinear": _dequantize_linear,
    "DynamicQuantizeLinear": _as_it_is,
    "MatMulInteger": _as_it_is,
    "QLinearConv": _q_linear_conv,
    "QLinearMatMul": _q_linear_matmul,
    "QuantizeLinear": _quantize_linear,
}
