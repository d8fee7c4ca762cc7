"""ONNX's activation functions."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from lite_delegate_kernels import UNKNOWN

from ....ir import Value
from ..conversion import Converter, OnnxNode
from .normalization import channels_last, channels_second


def _activation(activation_type: str, **attributes: Any) -> Converter:
    return lambda node: node.emit("Activation", node.x(), activation_type=activation_type, **attributes)


def _relu(node: OnnxNode) -> Value:
    x = node.x()
    if node.dtype(x).kind != "f":
        return node.emit("Maximum", x, node.scalar(0, x))
    return node.emit("Activation", x, activation_type="RELU")


def _leaky_relu(node: OnnxNode) -> Value:
    return node.emit("LeakyRelu", node.x(), negative_slope=node.get("alpha", 0.01))


def _elu(node: OnnxNode) -> Value:
    return node.emit("Elu", node.x(), alpha=node.get("alpha", 1.0))


def _celu(node: OnnxNode) -> Value:
    # alpha * (exp(x / alpha) - 1) below zero, x above: ELU of x / alpha, times alpha.
    alpha = node.scalar(node.get("alpha", 1.0), node.x())
    return node.emit("MulFusion", node.emit("Elu", node.emit("DivFusion", node.x(), alpha), alpha=1.0), alpha)


def _selu(node: OnnxNode) -> Value:
    alpha, gamma = node.get("alpha", 1.6732631921768188), node.get("gamma", 1.0507010221481323)
    return node.emit("MulFusion", node.emit("Elu", node.x(), alpha=alpha), node.scalar(gamma, node.x()))


def _gelu(node: OnnxNode) -> Value:
    approximate = node.get("approximate", "none") == "tanh"
    return node.emit("Activation", node.x(), activation_type="GELU", approximate=approximate)


def _hard_sigmoid(node: OnnxNode) -> Value:
    x = node.x()
    scaled = node.emit("MulFusion", x, node.scalar(node.get("alpha", 0.2), x))
    shifted = node.emit("AddFusion", scaled, node.scalar(node.get("beta", 0.5), x))
    return node.emit("Clip", shifted, min=0.0, max=1.0)


def _mish(node: OnnxNode) -> Value:
    soft = node.emit("Activation", node.x(), activation_type="SOFTPLUS")
    return node.emit("MulFusion", node.x(), node.emit("Activation", soft, activation_type="TANH"))


def scaled_swish(node: OnnxNode, x: Value, default: float = 1.0) -> Value:
    """x * sigmoid(alpha * x), with the node's alpha or its default."""
    alpha = node.get("alpha", default)
    if alpha == 1.0:
        return node.emit("Activation", x, activation_type="SWISH")
    gate = node.emit("Activation", node.emit("MulFusion", x, node.scalar(alpha, x)), activation_type="SIGMOID")
    return node.emit("MulFusion", x, gate)


def _swish(node: OnnxNode) -> Value:
    return scaled_swish(node, node.x())


def _swiglu(node: OnnxNode) -> Value:
    return node.emit("MulFusion", scaled_swish(node, node.x(0)), node.x(1))


def _thresholded_relu(node: OnnxNode) -> Value:
    return node.emit("Activation", node.x(), activation_type="THRESHOLDRELU", alpha=node.get("alpha", 1.0))


def _shrink(node: OnnxNode) -> Value:
    x = node.x()
    limit, bias = node.get("lambd", 0.5), node.scalar(node.get("bias", 0.0), x)
    below, above = node.emit("Less", x, node.scalar(-limit, x)), node.emit("Greater", x, node.scalar(limit, x))
    rest = node.emit("Where", above, node.emit("SubFusion", x, bias), node.emit("ZerosLike", x))
    return node.emit("Where", below, node.emit("AddFusion", x, bias), rest)


def _prelu(node: OnnxNode) -> Value:
    # ONNX broadcasts any slope; ours is one number or one per last dim.
    x, slope = node.x(0), node.x(1)
    shape, dims = node.dims(slope), node.dims(x)
    if UNKNOWN not in shape and (prod(shape) == 1 or prod(shape) == shape[-1] == dims[-1]):
        return node.emit("PReLUFusion", x, slope)
    if _is_per_channel(shape, dims) and node.dtype(x).kind == "f":
        return channels_second(node, node.emit("PReLUFusion", channels_last(node, x), node.reshape(slope, [dims[1]])))
    negative = node.emit("MulFusion", node.emit("Minimum", x, node.scalar(0, x)), slope)
    return node.emit("AddFusion", node.emit("Activation", x, activation_type="RELU"), negative)


def _is_per_channel(shape: Sequence[int], dims: Sequence[int]) -> bool:
    """Whether slopes are one for each place of the second axis, which images have their channels on."""
    aligned = [*(1 for _ in dims[len(shape) :]), *shape]
    return len(dims) > 2 and dims[1] != UNKNOWN and aligned == [1, dims[1], *(1 for _ in dims[2:])]


CONVERTERS: dict[str, Converter] = {
    "Celu": _celu,
    "Elu": _elu,
    "Gelu": _gelu,
    "HardSigmoid": _hard_sigmoid,
    "HardSwish": _activation("HSWISH"),
    "LeakyRelu": _leaky_relu,
    "Mish": _mish,
    "PRelu": _prelu,
    "Relu": _relu,
    "Selu": _selu,
    "Shrink": _shrink,
    "Sigmoid": _activation("SIGMOID"),
    "Softplus": _activation("SOFTPLUS"),
    "Softsign": _activation("SOFTSIGN"),
    "SwiGLU": _swiglu,
    "Swish": _swish,
    "Tanh": _activation("TANH"),
    "ThresholdedRelu": _thresholded_relu,
}
