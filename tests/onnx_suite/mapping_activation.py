"""ONNX's activation functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lite_delegate_kernels import Array

from .node import OnnxNode, number

Mapping = Callable[[OnnxNode], Array]


def _activation(activation_type: str, **attributes: Any) -> Mapping:
    return lambda node: node.run("Activation", node.x(), activation_type=activation_type, **attributes)


def _leaky_relu(node: OnnxNode) -> Array:
    return node.run("LeakyRelu", node.x(), negative_slope=node.get("alpha", 0.01))


def _elu(node: OnnxNode) -> Array:
    return node.run("Elu", node.x(), alpha=node.get("alpha", 1.0))


def _celu(node: OnnxNode) -> Array:
    # alpha * (exp(x / alpha) - 1) below zero, x above: ELU of x / alpha, times alpha.
    alpha = number(node.get("alpha", 1.0), node.x())
    return node.run("MulFusion", node.run("Elu", node.run("DivFusion", node.x(), alpha), alpha=1.0), alpha)


def _selu(node: OnnxNode) -> Array:
    alpha, gamma = node.get("alpha", 1.6732631921768188), node.get("gamma", 1.0507010221481323)
    return node.run("MulFusion", node.run("Elu", node.x(), alpha=alpha), number(gamma, node.x()))


def _gelu(node: OnnxNode) -> Array:
    approximate = node.get("approximate", "none") == "tanh"
    return node.run("Activation", node.x(), activation_type="GELU", approximate=approximate)


def _hard_sigmoid(node: OnnxNode) -> Array:
    x = node.x()
    scaled = node.run("MulFusion", x, number(node.get("alpha", 0.2), x))
    shifted = node.run("AddFusion", scaled, number(node.get("beta", 0.5), x))
    return node.run("Clip", shifted, min=0.0, max=1.0)


def _mish(node: OnnxNode) -> Array:
    soft = node.run("Activation", node.x(), activation_type="SOFTPLUS")
    return node.run("MulFusion", node.x(), node.run("Activation", soft, activation_type="TANH"))


def _scaled_swish(node: OnnxNode, x: Array) -> Array:
    alpha = node.get("alpha", 1.0)
    if alpha == 1.0:
        return node.run("Activation", x, activation_type="SWISH")
    gate = node.run("Activation", node.run("MulFusion", x, number(alpha, x)), activation_type="SIGMOID")
    return node.run("MulFusion", x, gate)


def _swish(node: OnnxNode) -> Array:
    return _scaled_swish(node, node.x())


def _swiglu(node: OnnxNode) -> Array:
    return node.run("MulFusion", _scaled_swish(node, node.x(0)), node.x(1))


def _thresholded_relu(node: OnnxNode) -> Array:
    return node.run("Activation", node.x(), activation_type="THRESHOLDRELU", alpha=node.get("alpha", 1.0))


def _shrink(node: OnnxNode) -> Array:
    x = node.x()
    limit, bias = node.get("lambd", 0.5), number(node.get("bias", 0.0), x)
    below, above = node.run("Less", x, number(-limit, x)), node.run("Greater", x, number(limit, x))
    rest = node.run("Where", above, node.run("SubFusion", x, bias), node.run("ZerosLike", x))
    return node.run("Where", below, node.run("AddFusion", x, bias), rest)


def _prelu(node: OnnxNode) -> Array:
    # ONNX broadcasts any slope; ours is one number or one per last dim.
    x, slope = node.x(0), node.x(1)
    if slope.size == 1 or slope.size == slope.shape[-1] == x.shape[-1]:
        return node.run("PReLUFusion", x, slope)
    negative = node.run("MulFusion", node.run("Minimum", x, number(0, x)), slope)
    return node.run("AddFusion", node.run("Activation", x, activation_type="RELU"), negative)


MAPPINGS: dict[str, Mapping] = {
    "Celu": _celu,
    "Elu": _elu,
    "Gelu": _gelu,
    "HardSigmoid": _hard_sigmoid,
    "HardSwish": _activation("HSWISH"),
    "LeakyRelu": _leaky_relu,
    "Mish": _mish,
    "PRelu": _prelu,
    "Relu": _activation("RELU"),
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
