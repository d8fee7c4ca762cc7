"""Activations: fused activations of other operators, and activations that are operators themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....flatbuffer.problem import FormatProblem
from ....ir import Value
from ...rejection import Why
from ..conversion import Converter, OperatorConversion
from ..tensors.layout import enum_names

FUSED = {"NONE": "NO_ACTIVATION", "RELU": "RELU", "RELU6": "RELU6"}
"""The activations that our operators can hold."""
BEHIND = {"RELU_N1_TO_1": "RELU1", "TANH": "TANH"}
"""The activations that become a node behind the operator."""


def fused_node(
    c: OperatorConversion, op_type: str, inputs: Sequence[Value | None], y: Value, activation: int, **attributes: Any
) -> None:
    """Adds a node with the activation that the file fuses into it; another node where ours cannot hold it."""
    name = activation_name(activation)
    if name in FUSED:
        c.node(op_type, inputs, y, activation_type=FUSED[name], **attributes)
        return
    c.reject_unless(name in BEHIND, Why.ATTRIBUTE, f"the fused activation {name} has no counterpart")
    before = c.between(y, "linear")
    c.node(op_type, inputs, before, activation_type="NO_ACTIVATION", **attributes)
    c.node("Activation", [before], y, activation_type=BEHIND[name])


def followed_node(
    c: OperatorConversion, op_type: str, inputs: Sequence[Value | None], y: Value, activation: int, **attributes: Any
) -> None:
    """Adds a node that has no place for an activation, and the activation behind it."""
    name = activation_name(activation)
    if name == "NONE":
        c.node(op_type, inputs, y, **attributes)
        return
    known = {**FUSED, **BEHIND}
    c.reject_unless(name in known, Why.ATTRIBUTE, f"the fused activation {name} has no counterpart")
    before = c.between(y, "linear")
    c.node(op_type, inputs, before, **attributes)
    c.node("Activation", [before], y, activation_type=known[name])


def activation_name(number: int) -> str:
    """The schema's name of an activation.

    Raises:
        FormatProblem: there is no such number.
    """
    found = enum_names("ActivationFunctionType").get(number)
    if found is None:
        raise FormatProblem(f"expected a known activation, found {number}", "fused_activation_function")
    return found


def alone(activation_type: str, **attributes: Any) -> Converter:
    """A converter to Activation."""

    def convert(c: OperatorConversion) -> None:
        c.node("Activation", [c.x()], c.y(), activation_type=activation_type, **attributes)

    convert.__doc__ = f"Activation {activation_type}."
    return convert


def relu_0_to_1(c: OperatorConversion) -> None:
    """Clip between 0 and 1."""
    c.node("Clip", [c.x()], c.y(), min=0.0, max=1.0)


def leaky_relu(c: OperatorConversion) -> None:
    """LeakyRelu."""
    c.node("LeakyRelu", [c.x()], c.y(), negative_slope=c.option("LeakyReluOptions")["alpha"])


def prelu(c: OperatorConversion) -> None:
    """PReLUFusion; the slopes may differ along the last dimension only."""
    slope = c.x(1)
    shape = slope.shape or ()
    per_channel = slope.shape is not None and all(d == 1 for d in shape[:-1])
    c.reject_unless(per_channel, Why.SHAPE, f"slopes must differ along the last dimension only, have {slope.shape}")
    c.node("PReLUFusion", [c.x(), slope], c.y(), channel_shared=all(d == 1 for d in shape))


def gelu(c: OperatorConversion) -> None:
    """Activation GELU, exact or approximated with tanh."""
    approximate = c.option("GeluOptions")["approximate"]
    c.node("Activation", [c.x()], c.y(), activation_type="GELU", approximate=approximate)


def softmax(c: OperatorConversion) -> None:
    """Softmax along the last dimension; where ``beta`` is not 1, on real numbers alone, MulFusion comes before it."""
    x, beta = c.x(), c.option("SoftmaxOptions")["beta"]
    if beta != 1:
        c.reject_unless(not x.quant_params, Why.ATTRIBUTE, f"beta of quantized operands must be 1, found {beta}")
        scaled = c.between(x, "scaled")
        c.node("MulFusion", [x, c.constant("beta", np.array(beta, np.float32))], scaled)
        x = scaled
    c.node("Softmax", [x], c.y(), axis=[-1])


def log_softmax(c: OperatorConversion) -> None:
    """LogSoftmax along the last dimension."""
    c.node("LogSoftmax", [c.x()], c.y(), axis=-1)


CONVERTERS: dict[str, Converter] = {
    "RELU": alone("RELU"),
    "RELU6": alone("RELU6"),
    "RELU_N1_TO_1": alone("RELU1"),
    "RELU_0_TO_1": relu_0_to_1,
    "TANH": alone("TANH"),
    "LOGISTIC": alone("SIGMOID"),
    "HARD_SWISH": alone("HSWISH"),
    "ELU": alone("ELU", alpha=1.0),
    "SIGN": alone("SIGN"),
    "GELU": gelu,
    "LEAKY_RELU": leaky_relu,
    "PRELU": prelu,
    "SOFTMAX": softmax,
    "LOG_SOFTMAX": log_softmax,
}
"""Converters of this file by the schema's names."""
