"""ONNX's quantisation, as the arithmetic that defines it: divide, round, add, clamp, convert, and back."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from lite_delegate_kernels import Array

from .mapping_dense import convolve, product
from .node import OnnxNode, Why
from .onnx_types import dtype_name


def _along(node: OnnxNode, parameter: Array, x: Array) -> Array:
    """A parameter per tensor, or per slice of ``axis``, shaped so that it broadcasts with ``x``."""
    node.refuse_unless(not node.get("block_size", 0), Why.ATTRIBUTE, "block_size")
    if parameter.size == 1:
        return parameter.reshape(())
    shape = [1] * x.ndim
    shape[node.get("axis", 1)] = -1
    return parameter.reshape(shape)


def _quantised(node: OnnxNode, x: Array, scale: Array, zero_point: Array | None, dtype: str) -> Array:
    limits = np.iinfo(dtype)
    y = node.run("Round", node.run("DivFusion", x, scale))
    if zero_point is not None:
        y = node.run("AddFusion", y, node.cast(zero_point, x.dtype.name))
    return node.cast(node.run("Clip", y, min=float(limits.min), max=float(limits.max)), dtype)


def _real(node: OnnxNode, x: Array, scale: Array, zero_point: Array | None) -> Array:
    steps = node.cast(x, scale.dtype.name)
    if zero_point is not None:
        steps = node.run("SubFusion", steps, node.cast(zero_point, scale.dtype.name))
    return node.run("MulFusion", steps, scale)


def _quantize_linear(node: OnnxNode) -> Array:
    x, scale, zero_point = node.x(0), node.x(1), node.optional(2)
    node.refuse_unless(x.dtype == scale.dtype, Why.DTYPE, f"scales of {scale.dtype}")
    dtype = dtype_name(node.get("output_dtype", 0) or 2) if zero_point is None else zero_point.dtype.name
    node.refuse_unless(dtype in ("int8", "uint8", "int16", "uint16"), Why.TYPE, f"target {dtype}")
    zero = None if zero_point is None else _along(node, zero_point, x)
    return _quantised(node, x, _along(node, scale, x), zero, dtype)


def _dequantize_linear(node: OnnxNode) -> Array:
    x, scale, zero_point = node.x(0), node.x(1), node.optional(2)
    zero = None if zero_point is None else _along(node, zero_point, x)
    return _real(node, x, _along(node, scale, x), zero)


def _q_linear_matmul(node: OnnxNode) -> Array:
    a = _real(node, node.x(0), node.x(1), node.x(2))
    b = _real(node, node.x(3), node.x(4), node.x(5))
    return _quantised(node, product(node, a, b), node.x(6), node.x(7), node.x(7).dtype.name)


def _q_linear_conv(node: OnnxNode) -> Array:
    x = _real(node, node.x(0), node.x(1), node.x(2))
    scale, zero_point = (p if p.size == 1 else p.reshape(-1, 1, 1, 1) for p in (node.x(4), node.x(5)))
    weight = _real(node, node.x(3), scale, zero_point)
    node.refuse_unless(node.optional(8) is None, Why.ATTRIBUTE, "a bias")
    return _quantised(node, convolve(node, x, weight, None), node.x(6), node.x(7), node.x(7).dtype.name)


MAPPINGS: dict[str, Callable[[OnnxNode], Array]] = {
    "DequantizeLinear": _dequantize_linear,
    "QLinearConv": _q_linear_conv,
    "QLinearMatMul": _q_linear_matmul,
    "QuantizeLinear": _quantize_linear,
}
