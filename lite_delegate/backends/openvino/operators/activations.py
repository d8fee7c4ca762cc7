"""Activations: functions of one operand that networks use."""

from __future__ import annotations

from typing import Any

import numpy as np

from .call import OperatorCall
from .operator import OnnxOperator, Write
from .widening import widened


def _same(name: str) -> Write:
    def write(call: OperatorCall) -> list[Any]:
        from openvino import opset16

        return [getattr(opset16, name)(call.inputs[0]).output(0)]

    return write


def write_relu(call: OperatorCall) -> list[Any]:
    """``max(x, 0)``, of integers by that operator: OpenVINO's relu goes through float32."""
    from openvino import opset16

    x = call.inputs[0]
    return [(opset16.relu(x) if call.dtype.kind == "f" else opset16.maximum(x, call.scalar(0))).output(0)]


def write_hard_sigmoid(call: OperatorCall) -> list[Any]:
    """``min(max(alpha * x + beta, 0), 1)``."""
    from openvino import opset16

    alpha, beta = call.number("alpha", 0.2), call.number("beta", 0.5)
    if (alpha, beta) == (1 / 6, 0.5):
        return [opset16.hsigmoid(call.inputs[0]).output(0)]
    return [opset16.hard_sigmoid(call.inputs[0], call.scalar(alpha), call.scalar(beta)).output(0)]


def write_gelu(call: OperatorCall) -> list[Any]:
    """``x * cdf(x)`` of the normal distribution, exactly or by tanh."""
    from openvino import opset16

    mode = "tanh" if call.text("approximate", "none") == "tanh" else "erf"
    return [opset16.gelu(call.inputs[0], mode).output(0)]


def write_leaky_relu(call: OperatorCall) -> list[Any]:
    """``x`` above 0, else ``alpha * x``."""
    from openvino import opset16

    slope = np.array([call.number("alpha", 0.01)], call.dtype)
    return [opset16.prelu(call.inputs[0], slope).output(0)]


def write_elu(call: OperatorCall) -> list[Any]:
    """``x`` above 0, else ``alpha * (exp(x) - 1)``."""
    from openvino import opset16

    return [opset16.elu(call.inputs[0], call.number("alpha", 1.0)).output(0)]


def write_selu(call: OperatorCall) -> list[Any]:
    """``gamma * x`` above 0, else ``gamma * alpha * (exp(x) - 1)``."""
    from openvino import opset16

    alpha, gamma = call.number("alpha", 1.6732632423543772), call.number("gamma", 1.0507009873554805)
    return [opset16.selu(call.inputs[0], call.scalar(alpha), call.scalar(gamma)).output(0)]


def write_prelu(call: OperatorCall) -> list[Any]:
    """``x`` above 0, else ``slope * x``; the slope is broadcast to x from the last axis on."""
    from openvino import opset16

    x, slope = call.inputs
    if _is_per_channel(x, slope):
        # its own operator takes them so, and a product before takes it in
        return [opset16.prelu(x, opset16.reshape(slope, np.array([-1]), False)).output(0)]
    zero = call.scalar(0)
    below = opset16.multiply(opset16.minimum(x, zero).output(0), slope).output(0)
    return [opset16.add(opset16.maximum(x, zero).output(0), below).output(0)]


def _is_per_channel(x: Any, slope: Any) -> bool:
    """Whether slopes are one for each place of the second axis."""
    dims, shape = x.get_partial_shape(), list(slope.get_shape())
    rank = len(dims)
    if rank < 2 or not dims[1].is_static:
        return False
    return [1] * (rank - len(shape)) + shape == [1, dims[1].get_length()] + [1] * (rank - 2)


OPERATORS = {
    "PRelu": OnnxOperator(write_prelu),
    "Relu": widened(write_relu),
    "Sigmoid": OnnxOperator(_same("sigmoid")),
    "Tanh": OnnxOperator(_same("tanh")),
    "Softplus": OnnxOperator(_same("softplus")),
    "Softsign": OnnxOperator(_same("softsign")),
    "Mish": OnnxOperator(_same("mish")),
    "HardSwish": OnnxOperator(_same("hswish")),
    "HardSigmoid": OnnxOperator(write_hard_sigmoid),
    "Gelu": OnnxOperator(write_gelu),
    "LeakyRelu": OnnxOperator(write_leaky_relu),
    "Elu": OnnxOperator(write_elu),
    "Selu": OnnxOperator(write_selu),
}
