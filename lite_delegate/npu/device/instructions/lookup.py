"""Functions of one operand: for float16 by table, one entry for each of the 65536 numbers, for float32 by formula.

An entry is the function's value in float64, rounded to float16, so a result is the nearest float16 number
(error at most half a unit in the last place) whatever the function. A float32 result is the nearest float32 number
to the value in float64 likewise. Infinities go through the formula as IEEE 754 says: x * sigmoid(x) is NaN at minus
infinity.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Self

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Axes, Instruction, narrow


class Function(StrEnum):
    """Functions of one operand.

    ``ELU`` and ``LEAKY_RELU`` take (alpha,), ``THRESHOLD_RELU`` (threshold,), ``EXP`` (factor, addend), ``CLAMP``
    (lowest, highest) and ``POWER`` (exponent, scale, shift).
    """

    ABS = "abs"
    CEIL = "ceil"
    CLAMP = "clamp"
    COS = "cos"
    ELU = "elu"
    ERF = "erf"
    EXP = "exp"
    FAST_GELU = "fast_gelu"
    FLOOR = "floor"
    GELU = "gelu"
    GELU_TANH = "gelu_tanh"
    HSIGMOID = "hsigmoid"
    HSWISH = "hswish"
    LEAKY_RELU = "leaky_relu"
    LOG = "log"
    LOG1P = "log1p"
    NEG = "neg"
    POWER = "power"
    RECIPROCAL = "reciprocal"
    RELU = "relu"
    RELU6 = "relu6"
    ROUND = "round"
    RSQRT = "rsqrt"
    SELU = "selu"
    SIGMOID = "sigmoid"
    SIGN = "sign"
    SIN = "sin"
    SOFTPLUS = "softplus"
    SOFTSIGN = "softsign"
    SQRT = "sqrt"
    SQUARE = "square"
    SWISH = "swish"
    TANH = "tanh"
    THRESHOLD_RELU = "threshold_relu"


SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805
"""Of Klambauer et al., Self-Normalizing Neural Networks, equation 14."""


def _elu(x: Array, alpha: float) -> Array:
    return np.where(x > 0.0, x, alpha * np.expm1(np.minimum(x, 0.0)))


def _sigmoid(x: Array) -> Array:
    return np.asarray(1.0 / (1.0 + np.exp(-x)))


def _hard_sigmoid(x: Array) -> Array:
    return np.asarray(np.clip(x + 3.0, 0.0, 6.0) / 6.0)


def _swish(x: Array) -> Array:
    return np.asarray(x * _sigmoid(x))


def _hard_swish(x: Array) -> Array:
    return np.asarray(x * _hard_sigmoid(x))


def _gelu(x: Array) -> Array:
    """0.5 x (1 + erf(x / sqrt 2)) by the complementary error function, which does not cancel for x << 0."""
    tail = np.array([math.erfc(-value / math.sqrt(2.0)) for value in x.ravel().tolist()])
    return np.asarray(0.5 * x * tail.reshape(x.shape))


def _erf(x: Array) -> Array:
    return np.array([math.erf(value) for value in x.ravel().tolist()]).reshape(x.shape)


def _gelu_tanh(x: Array) -> Array:
    """0.5 x (1 + tanh(x (0.79788456 + 0.03567741 x^2))): the approximation that the runtime documents."""
    inner = (0.79788456 + 0.03567741 * x * x) * x
    return np.asarray(0.5 * x * (1.0 + np.tanh(inner)))


_FUNCTIONS: dict[Function, Callable[..., Array]] = {
    Function.ABS: np.abs,
    Function.CEIL: np.ceil,
    Function.CLAMP: np.clip,
    Function.COS: np.cos,
    Function.ELU: _elu,
    Function.ERF: _erf,
    Function.EXP: lambda x, factor, addend: np.exp(factor * x + addend),
    Function.FAST_GELU: lambda x: x * _sigmoid(1.702 * x),
    Function.FLOOR: np.floor,
    Function.GELU: _gelu,
    Function.GELU_TANH: _gelu_tanh,
    Function.HSIGMOID: _hard_sigmoid,
    Function.HSWISH: _hard_swish,
    Function.LEAKY_RELU: lambda x, alpha: np.where(x > 0.0, x, alpha * x),
    Function.LOG: np.log,
    Function.LOG1P: np.log1p,
    Function.NEG: np.negative,
    Function.POWER: lambda x, exponent, scale, shift: np.power(shift + scale * x, exponent),
    Function.RECIPROCAL: np.reciprocal,
    Function.RELU: lambda x: np.maximum(x, 0.0),
    Function.RELU6: lambda x: np.clip(x, 0.0, 6.0),
    Function.ROUND: np.rint,
    Function.RSQRT: lambda x: 1.0 / np.sqrt(x),
    Function.SELU: lambda x: SELU_SCALE * _elu(x, SELU_ALPHA),
    Function.SIGMOID: _sigmoid,
    Function.SIGN: np.sign,
    Function.SIN: np.sin,
    Function.SOFTPLUS: lambda x: np.logaddexp(0.0, x),
    Function.SOFTSIGN: lambda x: x / (1.0 + np.abs(x)),
    Function.SQRT: np.sqrt,
    Function.SQUARE: np.square,
    Function.SWISH: _swish,
    Function.TANH: np.tanh,
    Function.THRESHOLD_RELU: lambda x, threshold: np.where(x <= threshold, 0.0, x),
}


@dataclass(frozen=True, slots=True)
class Lookup(Instruction):
    """A function of one operand of any shape, float16 or float32, with a result of the same type.

    Attributes:
        widens: the operand is float16 and the result float32, by the formula.
    """

    function: Function
    parameters: tuple[float, ...] = ()
    widens: bool = False

    def run(self, operands: Sequence[Array]) -> Array:
        if self.widens or operands[0].dtype == np.float32:
            return evaluated(self.function, self.parameters, operands[0]).astype(np.float32)
        bits = operands[0].view(np.uint16)
        return np.asarray(table(self.function, self.parameters).take(bits))

    def reordered(self, axes: Axes) -> Self:
        return self


@lru_cache(maxsize=64)
def table(function: Function, parameters: tuple[float, ...]) -> Array:
    """The function's values for all float16 numbers, by bit pattern: float16 (65536,)."""
    return narrow(evaluated(function, parameters, np.arange(65536, dtype=np.uint16).view(np.float16)))


def evaluated(function: Function, parameters: tuple[float, ...], x: Array) -> Array:
    """The function's values for floats of any shape, float64, by the formula."""
    with np.errstate(all="ignore"):
        return np.asarray(_FUNCTIONS[function](x.astype(np.float64), *parameters))
