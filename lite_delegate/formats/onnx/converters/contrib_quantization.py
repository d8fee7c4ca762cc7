"""ONNX Runtime's quantized operators, which its quantizer writes beside ONNX's own (domain com.microsoft)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....ir import Value
from ...rejection import Why
from ..conversion import Converter, OnnxNode
from ..quantization import Scaling, bias_scale, dequantized, quantized
from ..windows.spatial import from_nhwc, to_nhwc
from .dense import product

_SINGLE = np.dtype(np.float32)
ComputeFunction = Callable[[OnnxNode, Value], Value]


def _real(node: OnnxNode, position: int) -> Value:
    """The operand at a position, whose scale and zero point follow it."""
    return dequantized(node, node.x(position), _scaling(node, position + 1), _SINGLE)


def _whole(node: OnnxNode, y: Value, position: int, like: int) -> Value:
    """``y`` with the scale and zero point at a position, in the type of operand ``like``."""
    return quantized(node, y, _scaling(node, position), node.dtype(node.x(like)))


def _scaling(node: OnnxNode, position: int) -> Scaling:
    return Scaling(node.x(position), node.optional(position + 1))


def _binary(op_type: str) -> Converter:
    """a, its scale and zero point, b, its own, and those of the result."""
    return lambda node: _whole(node, node.emit(op_type, _real(node, 0), _real(node, 3)), 6, 0)


def _unary(compute: ComputeFunction) -> Converter:
    """x, its scale and zero point, and those of the result."""
    return lambda node: _whole(node, compute(node, _real(node, 0)), 3, 0)


def _sigmoid(node: OnnxNode, x: Value) -> Value:
    return node.emit("Activation", x, activation_type="SIGMOID")


def _leaky_relu(node: OnnxNode, x: Value) -> Value:
    return node.emit("LeakyRelu", x, negative_slope=node.get("alpha", 0.01))


def _softmax(node: OnnxNode, x: Value) -> Value:
    node.reject_unless(
        node.get("opset", 13) >= 13, Why.ATTRIBUTE, f"Softmax as before opset 13, found {node.get('opset', 13)}"
    )
    return node.emit("Softmax", x, axis=[node.get("axis", -1)])


def _global_average(node: OnnxNode, x: Value) -> Value:
    node.reject_unless(not node.get("channels_last", 0), Why.ATTRIBUTE, "channels_last")
    rank = node.rank(x)
    node.reject_unless(rank in (3, 4), Why.RANK, f"1 or 2 spatial axes are supported, found {rank - 2}")
    return from_nhwc(node, node.emit("AvgPoolFusion", to_nhwc(node, x), global_=True, format="NHWC"), rank)


def _concat(node: OnnxNode) -> Value:
    """The result's scale and zero point, then x, its scale and zero point, for each x."""
    parts = [_real(node, i) for i in range(2, len(node.inputs), 3)]
    return _whole(node, node.emit("Concat", *parts, axis=node.attributes["axis"]), 0, 2)


def _gemm(node: OnnxNode) -> Value:
    """a and b with scale and zero point each, c in units of their products, those of the result; floats without."""
    alpha, turned_b = node.get("alpha", 1.0), bool(node.get("transB", 0))
    node.reject_unless(alpha == 1.0, Why.ATTRIBUTE, f"alpha must be 1, found {alpha}")
    b_scaling = Scaling(node.x(4), node.optional(5), 0 if turned_b else 1)
    a, b = _real(node, 0), dequantized(node, node.x(3), b_scaling, _SINGLE)
    a = node.transpose(a, [1, 0]) if node.get("transA", 0) else a
    c = node.optional(6)
    if c is not None:
        c = dequantized(node, c, Scaling(bias_scale(node, _scaling(node, 1), b_scaling), None), _SINGLE)
    flat = c is not None and node.rank(c) == 1
    if turned_b:
        y = node.emit("MatMulFusion", a, b, c if flat else None, transpose_b=True)
    else:
        y = node.emit("MatMulFusion", a, b, c) if flat else product(node, a, b)
    if c is not None and not flat:
        y = node.emit("AddFusion", y, c)
    return y if node.optional(7) is None else _whole(node, y, 7, 0)


CONVERTERS: dict[str, Converter] = {
    "com.microsoft.QGemm": _gemm,
    "com.microsoft.QLinearAdd": _binary("AddFusion"),
    "com.microsoft.QLinearConcat": _concat,
    "com.microsoft.QLinearGlobalAveragePool": _unary(_global_average),
    "com.microsoft.QLinearLeakyRelu": _unary(_leaky_relu),
    "com.microsoft.QLinearMul": _binary("MulFusion"),
    "com.microsoft.QLinearSigmoid": _unary(_sigmoid),
    "com.microsoft.QLinearSoftmax": _unary(_softmax),
}
