"""Conformance cases of functions of single elements on integers: to real numbers, the function, and back."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .case_activation import FORMULAS
from .loops.quantized import Params, integers, quantization, quantized_case, real, stored
from .loops.scalars import element

EVERY = np.arange(-128, 128, dtype=np.int8).reshape(2, 128)
MANY: Params = (0.03, 5)
POSITIVE: Params = (0.03, -129)
"""Stands for numbers above 0 alone."""

UNARY: list[tuple[str, Callable[[float], float], Params, Params, dict[str, Any]]] = [
    ("Abs", abs, MANY, (0.02, -128), {}),
    ("Ceil", math.ceil, MANY, (0.04, 1), {}),
    ("Cos", math.cos, MANY, (1 / 128, 0), {}),
    ("Elu", lambda v: v if v > 0 else 0.5 * (math.exp(v) - 1), MANY, (0.03, 0), {"alpha": 0.5}),
    ("Erf", math.erf, MANY, (1 / 128, 0), {}),
    ("ExpFusion", math.exp, MANY, (0.2, -128), {}),
    ("Floor", math.floor, MANY, (0.04, 1), {}),
    ("LeakyRelu", lambda v: v if v > 0 else 0.25 * v, MANY, (0.03, 0), {"negative_slope": 0.25}),
    ("Log", math.log, POSITIVE, (0.03, 50), {}),
    ("Log1p", math.log1p, POSITIVE, (0.02, -100), {}),
    ("Neg", lambda v: -v, MANY, (0.03, -5), {}),
    ("Reciprocal", lambda v: 1 / v, POSITIVE, (0.1, -128), {}),
    ("Round", round, MANY, (0.04, 1), {}),
    ("Rsqrt", lambda v: 1 / math.sqrt(v), POSITIVE, (0.03, -128), {}),
    ("Sin", math.sin, MANY, (1 / 128, 0), {}),
    ("Sqrt", math.sqrt, POSITIVE, (0.015, -128), {}),
    ("Square", lambda v: v * v, MANY, (0.06, -128), {}),
]
ACTIVATIONS = ("RELU", "RELU6", "SIGMOID", "TANH", "HSWISH", "HSIGMOID", "SWISH", "GELU", "SOFTPLUS", "ABS")

BINARY: list[tuple[str, Callable[[float, float], float], Params]] = [
    ("DivFusion", lambda a, b: a / b, (0.1, 0)),
    ("RealDiv", lambda a, b: a / b, (0.1, 0)),
    ("Maximum", max, (0.03, 2)),
    ("Minimum", min, (0.03, -2)),
    ("PowFusion", lambda a, b: a**b, (0.5, -100)),
    ("SquaredDifference", lambda a, b: (a - b) ** 2, (0.2, -128)),
]
COMPARISONS: list[tuple[str, Callable[[float, float], bool]]] = [
    ("Equal", lambda a, b: a == b),
    ("NotEqual", lambda a, b: a != b),
    ("Less", lambda a, b: a < b),
    ("LessEqual", lambda a, b: a <= b),
    ("Greater", lambda a, b: a > b),
    ("GreaterEqual", lambda a, b: a >= b),
]


def _each(function: Callable[..., float], *arrays: Array) -> Iterator[tuple[tuple[int, ...], float]]:
    for index in np.ndindex(np.broadcast_shapes(*(a.shape for a in arrays))):
        yield index, function(*(element(a, index) for a in arrays))


def _unary(
    op_type: str, name: str, function: Callable[[float], float], source: Params, target: Params, attributes: Any
) -> Iterator[ConformanceCase]:
    for shape_name, x in [("every_integer", EVERY), ("rank_0", EVERY[1, 3]), ("rank_3", EVERY[:, :6].reshape(2, 2, 3))]:
        q = np.asarray(x)
        y = np.empty(q.shape, np.int8)
        for index, value in _each(function, real(q, source)):
            y[index] = stored(value, target)
        params = [quantization(source)], [quantization(target)]
        yield quantized_case(f"{name}{shape_name}", op_type, (q,), (y,), *params, attributes, quanta=1)


def _binary(rng: np.random.Generator) -> Iterator[ConformanceCase]:
    for op_type, function, target in BINARY:
        for shape in [(3, 17), (17,)]:
            a, b = integers(rng, (3, 17)), integers(rng, shape)
            y = np.empty((3, 17), np.int8)
            for index, value in _each(function, real(a, POSITIVE), real(b, POSITIVE)):
                y[index] = stored(value, target)
            params = [quantization(POSITIVE)] * 2, [quantization(target)]
            yield quantized_case(f"rank_{len(shape)}", op_type, (a, b), (y,), *params, quanta=1)


def _comparisons(rng: np.random.Generator) -> Iterator[ConformanceCase]:
    """Scales are powers of two, so that numbers of both can be equal."""
    for op_type, function in COMPARISONS:
        for name, other in [("same_parameters", (0.25, 3)), ("other_parameters", (0.5, -10))]:
            a, b = integers(rng, (4, 40)), integers(rng, (40,))
            y = np.empty((4, 40), np.bool_)
            for index, value in _each(function, real(a, (0.25, 3)), real(b, other)):
                y[index] = value
            params = [quantization((0.25, 3)), quantization(other)], [None]
            yield quantized_case(name, op_type, (a, b), (y,), *params)


def _types() -> Sequence[tuple[str, Callable[[float], float], Params]]:
    return [(name, FORMULAS[name], (0.025, -30)) for name in ACTIVATIONS]


def cases() -> Iterator[ConformanceCase]:
    """All 256 integers, rank 0, several ranks, broadcasting; truth values stay truth values."""
    rng = np.random.default_rng(45)
    for op_type, function, source, target, attributes in UNARY:
        yield from _unary(op_type, "", function, source, target, attributes)
    for name, function, target in _types():
        yield from _unary("Activation", f"{name.lower()}_", function, MANY, target, {"activation_type": name})
    yield from _binary(rng)
    yield from _comparisons(rng)
