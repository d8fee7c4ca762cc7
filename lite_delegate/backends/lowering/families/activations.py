"""Activation: functions of one operand by the attribute ``activation_type``."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ....delegate import Kernel, RejectCode
from ....ir.primitives import Activation, Elu, LeakyRelu
from ....ir.types.enums import ActivationType
from ....semantics.operands import primitive_of, required
from ..lowering import Lowering
from ..not_lowered import NotLowered
from ..term import Lowered, Term
from .elementwise import as_it_lies, unary
from .fused import clipped
from .results import like

FLT_MIN = 2.0**-126
"""The smallest normal float32: as lower bound of a hard tanh it means none."""
FLT_MAX = float(np.finfo(np.float32).max)
"""As upper bound of a hard tanh it means none."""
SELU = {"alpha": 1.6732632423543772, "gamma": 1.0507009873554805}
"""Klambauer et al., "Self-Normalizing Neural Networks" (2017), equation 14."""
FAST_GELU_FACTOR = 1.702
"""Hendrycks and Gimpel, "Gaussian Error Linear Units" (2016)."""

ActivationFunction = Callable[[Lowering, Term, Activation], Term]


def _same(op: str) -> ActivationFunction:
    return lambda lowering, x, _: unary(lowering, op, x)


def _clip(low: float, high: float) -> ActivationFunction:
    return lambda lowering, x, _: clipped(lowering, x, low, high)


def _hard_tanh(lowering: Lowering, x: Term, primitive: Activation) -> Term:
    low = -math.inf if primitive.min_val == FLT_MIN else primitive.min_val
    high = math.inf if primitive.max_val == FLT_MAX else primitive.max_val
    return clipped(lowering, x, low, high)


def hard_sigmoid(lowering: Lowering, x: Term) -> Term:
    """``min(max(x + 3, 0), 6) / 6``."""
    return lowering.emit("HardSigmoid", [x], x.dtype, x.shape, alpha=1 / 6, beta=0.5)


def hard_swish(lowering: Lowering, x: Term) -> Term:
    """``x * min(max(x + 3, 0), 6) / 6``."""
    return unary(lowering, "HardSwish", x)


def swish(lowering: Lowering, x: Term, factor: float = 1.0) -> Term:
    """``x * sigmoid(factor * x)``."""
    scaled = x if factor == 1.0 else _times(lowering, x, lowering.scalar(factor, x.dtype))
    return _times(lowering, x, unary(lowering, "Sigmoid", scaled))


def _gelu(lowering: Lowering, x: Term, primitive: Activation) -> Term:
    return lowering.emit("Gelu", [x], x.dtype, x.shape, approximate="tanh" if primitive.approximate else "none")


def leaky_relu(lowering: Lowering, x: Term, alpha: float) -> Term:
    """``x`` above 0, else ``alpha * x``."""
    return lowering.emit("LeakyRelu", [x], x.dtype, x.shape, alpha=alpha)


def elu(lowering: Lowering, x: Term, alpha: float) -> Term:
    """``x`` above 0, else ``alpha * (exp(x) - 1)``."""
    return lowering.emit("Elu", [x], x.dtype, x.shape, alpha=alpha)


def _times(lowering: Lowering, a: Term, b: Term) -> Term:
    return lowering.emit("Mul", [a, b], a.dtype, a.shape)


def _threshold(lowering: Lowering, x: Term, primitive: Activation) -> Term:
    below = lowering.emit("LessOrEqual", [x, lowering.scalar(primitive.alpha, x.dtype)], np.dtype(bool), x.shape)
    return lowering.emit("Where", [below, lowering.scalar(0, x.dtype), x], x.dtype, x.shape)


FUNCTIONS: dict[ActivationType, ActivationFunction] = {
    ActivationType.NO_ACTIVATION: lambda _, x, __: x,
    ActivationType.LINEAR: lambda _, x, __: x,
    ActivationType.RELU: _same("Relu"),
    ActivationType.SIGMOID: _same("Sigmoid"),
    ActivationType.TANH: _same("Tanh"),
    ActivationType.SOFTPLUS: _same("Softplus"),
    ActivationType.SOFTSIGN: _same("Softsign"),
    ActivationType.ABS: _same("Abs"),
    ActivationType.SIGN: _same("Sign"),
    ActivationType.RELU6: _clip(0.0, 6.0),
    ActivationType.RELU1: _clip(-1.0, 1.0),
    ActivationType.HARD_TANH: _hard_tanh,
    ActivationType.HSIGMOID: lambda lowering, x, _: hard_sigmoid(lowering, x),
    ActivationType.HSWISH: lambda lowering, x, _: hard_swish(lowering, x),
    ActivationType.SWISH: lambda lowering, x, _: swish(lowering, x),
    ActivationType.FAST_GELU: lambda lowering, x, _: swish(lowering, x, FAST_GELU_FACTOR),
    ActivationType.GELU: _gelu,
    ActivationType.ELU: lambda lowering, x, p: elu(lowering, x, p.alpha),
    ActivationType.LEAKY_RELU: lambda lowering, x, p: leaky_relu(lowering, x, p.alpha),
    ActivationType.SELU: lambda lowering, x, _: lowering.emit("Selu", [x], x.dtype, x.shape, **SELU),
    ActivationType.THRESHOLDRELU: _threshold,
}


def activated(lowering: Lowering, x: Term, activation_type: ActivationType) -> Term:
    """An activation that has no attributes of its own.

    Raises:
        NotLowered: the activation is none of the schema's functions.
    """
    return _function(Activation(activation_type=activation_type))(lowering, x, Activation())


def lower_activation(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The function of the attribute ``activation_type``."""
    primitive, x = primitive_of(kernel, Activation), lowering.value(required(kernel, 0))
    return like(x, _function(primitive)(lowering, as_it_lies(lowering, x), primitive))


def _function(primitive: Activation) -> ActivationFunction:
    function = FUNCTIONS.get(primitive.activation_type)
    if function is None:
        found = f"is {primitive.activation_type.name}"
        raise NotLowered(RejectCode.ATTRIBUTE, "activation_type must be one of the schema's functions", found)
    return function


def lower_leaky_relu(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``x`` above 0, else ``negative_slope * x``."""
    x = lowering.value(required(kernel, 0))
    return like(x, leaky_relu(lowering, as_it_lies(lowering, x), primitive_of(kernel, LeakyRelu).negative_slope))


def lower_elu(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``x`` above 0, else ``alpha * (exp(x) - 1)``."""
    x = lowering.value(required(kernel, 0))
    return like(x, elu(lowering, as_it_lies(lowering, x), primitive_of(kernel, Elu).alpha))


LOWERINGS = {"Activation": lower_activation, "LeakyRelu": lower_leaky_relu, "Elu": lower_elu}
