"""Functions of one number."""

from __future__ import annotations

from collections.abc import Sequence

from ....delegate import RejectCode
from ....formats.tflite.export import TfliteTensor
from .call import LoweredCall, Write

SAME = {
    "Neg": ("NEG", "NegOptions"),
    "Sqrt": ("SQRT", ""),
    "Floor": ("FLOOR", ""),
    "Ceil": ("CEIL", ""),
    "Round": ("ROUND", ""),
    "Log": ("LOG", ""),
    "Exp": ("EXP", "ExpOptions"),
    "Sin": ("SIN", ""),
    "Cos": ("COS", "CosOptions"),
    "Sigmoid": ("LOGISTIC", ""),
    "Tanh": ("TANH", ""),
    "Sign": ("SIGN", "SignOptions"),
    "HardSwish": ("HARD_SWISH", "HardSwishOptions"),
}
ERF_ABOVE = (
    -2.72614225801306e-10,
    2.77068142495902e-08,
    -2.10102402082508e-06,
    -5.69250639462346e-05,
    -7.34990630326855e-04,
    -2.95459980854025e-03,
    -1.60960333262415e-02,
)
ERF_BELOW = (
    -1.45660718464996e-05,
    -2.13374055278905e-04,
    -1.68282697438203e-03,
    -7.37332916720468e-03,
    -1.42647390514189e-02,
)
"""The error function is ``x * p(x * x) / q(x * x)`` between -4 and 4, to 2 units in the last place of float32."""


def _same(kind: str, table: str) -> Write:
    def write(call: LoweredCall) -> list[TfliteTensor]:
        return [call.unary(kind, call.x(), table)]

    return write


def write_reciprocal(call: LoweredCall) -> list[TfliteTensor]:
    """One by the number."""
    x = call.x()
    return [call.pair("DIV", call.scalar(1, x.dtype), x, "DivOptions")]


def write_relu(call: LoweredCall) -> list[TfliteTensor]:
    """The number, or 0 where it is below."""
    x = call.x()
    if x.dtype in ("float32", "float16"):
        return [call.unary("RELU", x)]
    return [call.pair("MAXIMUM", x, call.scalar(0, x.dtype), "MaximumMinimumOptions")]


def write_leaky_relu(call: LoweredCall) -> list[TfliteTensor]:
    """A slope below 0."""
    return [call.unary("LEAKY_RELU", call.x(), "LeakyReluOptions", alpha=call.number("alpha", 0.01))]


def write_prelu(call: LoweredCall) -> list[TfliteTensor]:
    """Slopes below 0, which are broadcast."""
    x, slope = call.x(0), call.x(1)
    below = call.pair("MUL", x, slope, "MulOptions")
    negative = call.pair("LESS", x, call.scalar(0, x.dtype), "LessOptions", "bool")
    return [call.several("SELECT_V2", [negative, below, x], "SelectV2Options")]


def _exponential(call: LoweredCall, x: TfliteTensor, alpha: float) -> TfliteTensor:
    """``x`` above 0, ``alpha * (exp(x) - 1)`` below."""
    y = call.unary("ELU", x)
    if alpha == 1.0:
        return y
    negative = call.pair("LESS", x, call.scalar(0, x.dtype), "LessOptions", "bool")
    scaled = call.pair("MUL", y, call.scalar(alpha, x.dtype), "MulOptions")
    return call.several("SELECT_V2", [negative, scaled, x], "SelectV2Options")


def write_elu(call: LoweredCall) -> list[TfliteTensor]:
    """An exponential below 0."""
    return [_exponential(call, call.x(), call.number("alpha", 1.0))]


def write_selu(call: LoweredCall) -> list[TfliteTensor]:
    """An exponential below 0, all of it scaled."""
    y = _exponential(call, call.x(), call.number("alpha", 1.6732632423543772))
    return [call.pair("MUL", y, call.scalar(call.number("gamma", 1.0507009873554805), y.dtype), "MulOptions")]


def write_hard_sigmoid(call: LoweredCall) -> list[TfliteTensor]:
    """A line between 0 and 1."""
    x = call.x()
    y = call.pair("MUL", x, call.scalar(call.number("alpha", 0.2), x.dtype), "MulOptions")
    y = call.pair("ADD", y, call.scalar(call.number("beta", 0.5), x.dtype), "AddOptions")
    y = call.pair("MAXIMUM", y, call.scalar(0, x.dtype), "MaximumMinimumOptions")
    return [call.pair("MINIMUM", y, call.scalar(1, x.dtype), "MaximumMinimumOptions")]


def write_softplus(call: LoweredCall) -> list[TfliteTensor]:
    """``log(1 + exp(x))`` as ``max(x, 0) - log(sigmoid(abs(x)))``."""
    x = call.x()
    size = call.unary("LOGISTIC", call.unary("ABS", x, "AbsOptions"))
    above = call.pair("MAXIMUM", x, call.scalar(0, x.dtype), "MaximumMinimumOptions")
    return [call.pair("SUB", above, call.unary("LOG", size), "SubOptions")]


def write_softsign(call: LoweredCall) -> list[TfliteTensor]:
    """``x / (1 + abs(x))``."""
    x = call.x()
    size = call.pair("ADD", call.unary("ABS", x, "AbsOptions"), call.scalar(1, x.dtype), "AddOptions")
    return [call.pair("DIV", x, size, "DivOptions")]


def write_gelu(call: LoweredCall) -> list[TfliteTensor]:
    """GELU, exact or approximated."""
    approximate = call.text("approximate", "none") == "tanh"
    return [call.unary("GELU", call.x(), "GeluOptions", approximate=approximate)]


def write_erf(call: LoweredCall) -> list[TfliteTensor]:
    """The error function by a quotient of polynomials."""
    given = call.x()
    call.wanted(given.dtype in ("float32", "float16"), RejectCode.DTYPE, "the error function of real numbers")
    x = call.builtins.cast(given, "float32")
    x = call.pair("MAXIMUM", x, call.scalar(-4, "float32"), "MaximumMinimumOptions")
    x = call.pair("MINIMUM", x, call.scalar(4, "float32"), "MaximumMinimumOptions")
    square = call.pair("MUL", x, x, "MulOptions")
    above = call.pair("MUL", x, _polynomial(call, square, ERF_ABOVE), "MulOptions")
    y = call.pair("DIV", above, _polynomial(call, square, ERF_BELOW), "DivOptions")
    return [call.builtins.cast(y, given.dtype)]


def _polynomial(call: LoweredCall, x: TfliteTensor, factors: Sequence[float]) -> TfliteTensor:
    """By Horner's rule, the factor of the highest power first."""
    y = call.scalar(factors[0], "float32")
    for factor in factors[1:]:
        y = call.pair("MUL", y, x, "MulOptions")
        y = call.pair("ADD", y, call.scalar(factor, "float32"), "AddOptions")
    return y


def write_pow(call: LoweredCall) -> list[TfliteTensor]:
    """Powers of real numbers."""
    a, b = call.x(0), call.x(1)
    call.wanted(a.dtype in ("float32", "float16"), RejectCode.DTYPE, "powers of real numbers", f"is {a.dtype}")
    return [call.pair("POW", a, call.builtins.cast(b, a.dtype), "PowOptions")]


def write_atan(call: LoweredCall) -> list[TfliteTensor]:
    """The angle of a slope."""
    x = call.x()
    return [call.pair("ATAN2", x, _filled(call, x, 1.0), "ATan2Options")]


def write_asin(call: LoweredCall) -> list[TfliteTensor]:
    """The angle of a sine."""
    x = call.x()
    return [call.pair("ATAN2", x, _cathetus(call, x), "ATan2Options")]


def write_acos(call: LoweredCall) -> list[TfliteTensor]:
    """The angle of a cosine."""
    x = call.x()
    return [call.pair("ATAN2", _cathetus(call, x), x, "ATan2Options")]


def _cathetus(call: LoweredCall, x: TfliteTensor) -> TfliteTensor:
    """``sqrt((1 - x) * (1 + x))``."""
    one = call.scalar(1, x.dtype)
    product = call.pair(
        "MUL", call.pair("SUB", one, x, "SubOptions"), call.pair("ADD", one, x, "AddOptions"), "MulOptions"
    )
    return call.unary("SQRT", product)


def _filled(call: LoweredCall, x: TfliteTensor, value: float) -> TfliteTensor:
    """A tensor of one number, of another's shape."""
    return call.builtins.op(
        "FILL", [call.builtins.ints(x.shape), call.scalar(value, x.dtype)], x.shape, None, "FillOptions"
    )


OPERATORS: dict[str, Write] = {
    **{op: _same(kind, table) for op, (kind, table) in SAME.items()},
    "Reciprocal": write_reciprocal,
    "Relu": write_relu,
    "LeakyRelu": write_leaky_relu,
    "PRelu": write_prelu,
    "Elu": write_elu,
    "Selu": write_selu,
    "HardSigmoid": write_hard_sigmoid,
    "Softplus": write_softplus,
    "Softsign": write_softsign,
    "Gelu": write_gelu,
    "Erf": write_erf,
    "Pow": write_pow,
    "Atan": write_atan,
    "Asin": write_asin,
    "Acos": write_acos,
}
"""Writers of this file by ONNX's names."""
