"""Conformance cases of Activation, expected values element by element from the formulas in Python's own numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.scalars import loop

NAN, INF = float("nan"), float("inf")
FLT_MIN = float(np.finfo(np.float32).tiny)
FLT_MAX = float(np.finfo(np.float32).max)
FLOATS = ("float32", "float16", "float64")
TOLERANCES = {"float32": (1e-5, 1e-6), "float16": (1e-3, 1e-3), "float64": (1e-7, 1e-9)}


def _clamp(v: float, low: float, high: float) -> float:
    return low if v < low else high if v > high else v


def _sigmoid(v: float) -> float:
    return 1 / (1 + math.exp(-v))


FORMULAS: dict[str, Callable[[float], float]] = {
    "NO_ACTIVATION": lambda v: v,
    "RELU": lambda v: 0 if v < 0 else v,
    "SIGMOID": _sigmoid,
    "RELU6": lambda v: _clamp(v, 0, 6),
    "ABS": lambda v: -v if v < 0 else v,
    "RELU1": lambda v: _clamp(v, -1, 1),
    "SOFTSIGN": lambda v: v / (1 + abs(v)),
    "SOFTPLUS": lambda v: math.log1p(math.exp(v)),
    "TANH": math.tanh,
    "SELU": lambda v: 1.0507009873554805 * (v if v > 0 else 1.6732632423543772 * (math.exp(v) - 1)),
    "HSWISH": lambda v: v * _clamp(v + 3, 0, 6) / 6,
    "HSIGMOID": lambda v: _clamp(v + 3, 0, 6) / 6,
    "LINEAR": lambda v: v,
    "SIGN": lambda v: v if v == 0 else math.copysign(1, v),
    "SWISH": lambda v: v * _sigmoid(v),
    "GELU": lambda v: 0.5 * v * (1 + math.erf(v / math.sqrt(2))),
    "FAST_GELU": lambda v: v * _sigmoid(1.702 * v),
}
WHOLE_NUMBERS = ("NO_ACTIVATION", "RELU", "RELU6", "ABS", "RELU1", "LINEAR", "SIGN")
# What the types give for NaN, inf, -inf; -inf times 0 is NaN.
LIMITS = {
    "RELU": (NAN, INF, 0.0),
    "RELU6": (NAN, 6.0, 0.0),
    "SIGMOID": (NAN, 1.0, 0.0),
    "TANH": (NAN, 1.0, -1.0),
    "HSIGMOID": (NAN, 1.0, 0.0),
    "SOFTPLUS": (NAN, INF, 0.0),
    "ABS": (NAN, INF, INF),
    "SIGN": (NAN, 1.0, -1.0),
    "RELU1": (NAN, 1.0, -1.0),
    "GELU": (NAN, INF, NAN),
}


def _case(name: str, x: Array, function: Callable[[float], float], **attributes: Any) -> ConformanceCase:
    rtol, atol = TOLERANCES.get(x.dtype.name, (0, 0))
    return ConformanceCase(name, "Activation", (x,), (loop(function, x),), attributes, rtol=rtol, atol=atol)


def _elu(alpha: float) -> Callable[[float], float]:
    return lambda v: v if v > 0 else alpha * (math.exp(v) - 1)


def _leaky(alpha: float) -> Callable[[float], float]:
    return lambda v: v if v > 0 else alpha * v


def _threshold(alpha: float) -> Callable[[float], float]:
    return lambda v: v if v > alpha else 0


def _between(low: float, high: float) -> Callable[[float], float]:
    return lambda v: _clamp(v, low, high)


def _gelu_tanh(v: float) -> float:
    return 0.5 * v * (1 + math.tanh((0.79788456 + 0.03567741 * v * v) * v))


def _every_type() -> Iterator[ConformanceCase]:
    rng = np.random.default_rng(2)
    for kind, function in FORMULAS.items():
        for dtype in FLOATS:
            x = (rng.normal(size=(2, 3, 3, 7)) * 4).astype(dtype)
            yield _case(f"{kind.lower()}_{dtype}", x, function, activation_type=kind)
    for kind in WHOLE_NUMBERS:
        for dtype in ("int8", "int32"):
            x = rng.integers(-12, 12, size=(3, 8), dtype=dtype)
            yield _case(f"{kind.lower()}_{dtype}", x, FORMULAS[kind], activation_type=kind)
    for kind, values in LIMITS.items():
        x = np.array([NAN, INF, -INF], dtype=np.float32)
        y = np.array(values, dtype=np.float32)
        attributes = {"activation_type": kind}
        yield ConformanceCase(f"{kind.lower()}_limits", "Activation", (x,), (y,), attributes, source="hand")


def _with_alpha() -> Iterator[ConformanceCase]:
    rng = np.random.default_rng(3)
    for alpha in (0.0, 0.25, 1.0, 1.5, -0.5):
        for kind, rule in (("LEAKY_RELU", _leaky), ("ELU", _elu), ("THRESHOLDRELU", _threshold)):
            x = (rng.normal(size=(4, 17)) * 3).astype(np.float32)
            yield _case(f"{kind.lower()}_alpha_{alpha}", x, rule(alpha), activation_type=kind, alpha=alpha)
    for kind, rule in (("LEAKY_RELU", _leaky), ("ELU", _elu), ("THRESHOLDRELU", _threshold)):
        half = (rng.normal(size=(2, 9)) * 2).astype(np.float16)
        yield _case(f"{kind.lower()}_float16", half, rule(0.5), activation_type=kind, alpha=0.5)
    at_bound = np.array([0.5, 0.0, -0.0, NAN], dtype=np.float32)
    yield _case("leaky_relu_zero_and_nan", at_bound, _leaky(0.5), activation_type="LEAKY_RELU", alpha=0.5)
    y = np.array([0, 0, 0, NAN], dtype=np.float32)
    attributes = {"activation_type": "THRESHOLDRELU", "alpha": 0.5}
    yield ConformanceCase("thresholdrelu_at_the_bound", "Activation", (at_bound,), (y,), attributes, source="hand")
    large = np.array([-200.0, 200.0, INF], dtype=np.float32)
    y = np.array([-1.5, 200.0, INF], dtype=np.float32)
    attributes = {"activation_type": "ELU", "alpha": 1.5}
    yield ConformanceCase("elu_large", "Activation", (large,), (y,), attributes, source="hand")


def _hard_tanh() -> Iterator[ConformanceCase]:
    x = (np.random.default_rng(4).normal(size=(3, 16)) * 5).astype(np.float32)
    bounds = [
        ("both", -1.0, 1.0, -1.0, 1.0),
        ("asymmetric", -0.5, 4.25, -0.5, 4.25),
        ("positive_range", 1.0, 2.0, 1.0, 2.0),
        ("no_lower", FLT_MIN, 2.0, -INF, 2.0),
        ("no_upper", -2.0, FLT_MAX, -2.0, INF),
        ("neither", FLT_MIN, FLT_MAX, -INF, INF),
    ]
    for name, low, high, lowest, highest in bounds:
        attributes = {"activation_type": "HARD_TANH", "min_val": low, "max_val": high}
        yield _case(f"hard_tanh_{name}", x, _between(lowest, highest), **attributes)
    half = x.astype(np.float16)
    attributes = {"activation_type": "HARD_TANH", "min_val": -1.5, "max_val": 1.5}
    yield _case("hard_tanh_float16", half, _between(-1.5, 1.5), **attributes)
    special = np.array([NAN, INF, -INF], dtype=np.float32)
    yield _case("hard_tanh_limits", special, _between(-1.5, 1.5), **attributes)
    attributes = {"activation_type": "HARD_TANH", "min_val": FLT_MIN, "max_val": FLT_MAX}
    yield _case("hard_tanh_limits_without_bounds", special, _between(-INF, INF), **attributes)


def _gelu() -> Iterator[ConformanceCase]:
    rng = np.random.default_rng(5)
    for dtype in FLOATS:
        x = (rng.normal(size=(3, 17)) * 3).astype(dtype)
        yield _case(f"gelu_approximate_{dtype}", x, _gelu_tanh, activation_type="GELU", approximate=True)
    tails = np.array([-30.0, -6.0, 6.0, 30.0, 0.0, 1e20], dtype=np.float32)
    y = np.array([0.0, 0.0, 6.0, 30.0, 0.0, 1e20], dtype=np.float32)
    for approximate in (False, True):
        attributes = {"activation_type": "GELU", "approximate": approximate}
        yield ConformanceCase(
            f"gelu_tails_approximate_{approximate}", "Activation", (tails,), (y,), attributes, source="hand"
        )


def _shapes_and_extremes() -> Iterator[ConformanceCase]:
    rng = np.random.default_rng(6)
    for kind in ("RELU", "RELU6", "SIGMOID", "GELU", "HSWISH", "SOFTPLUS", "TANH"):
        for name, shape in (("rank_0", ()), ("rank_1", (1,)), ("rank_5", (2, 1, 3, 1, 2)), ("empty", (2, 0, 3))):
            x = np.asarray(rng.normal(size=shape), dtype=np.float32)
            yield _case(f"{kind.lower()}_{name}", x, FORMULAS[kind], activation_type=kind)
    x = np.array([-500.0, -100.0, 100.0, 500.0], dtype=np.float32)
    for kind, values in (
        ("SIGMOID", [0, 0, 1, 1]),
        ("SWISH", [0, 0, 100, 500]),
        ("SOFTPLUS", [0, 0, 100, 500]),
        ("SELU", [-1.7580993, -1.7580993, 105.070099, 525.350494]),
        ("FAST_GELU", [0, 0, 100, 500]),
    ):
        y = np.array(values, dtype=np.float32)
        attributes = {"activation_type": kind}
        yield ConformanceCase(f"{kind.lower()}_large", "Activation", (x,), (y,), attributes, source="hand")
    x = rng.normal(size=(2, 3)).astype(np.float32)
    yield _case("defaults_are_the_identity", x, FORMULAS["NO_ACTIVATION"])


def cases() -> Iterator[ConformanceCase]:
    """Every activation type but UNKNOWN over the float dtypes; alpha, bounds, GELU's two forms; ranks, extremes."""
    yield from _every_type()
    yield from _with_alpha()
    yield from _hard_tanh()
    yield from _gelu()
    yield from _shapes_and_extremes()
