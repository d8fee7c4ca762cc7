"""The activation functions themselves: formulas over a float array.

Callers silence numpy's floating-point warnings: overflow to infinity is part of several formulas.
"""

from __future__ import annotations

import math

import numpy as np

from ._kernel import Array

FLT_MIN = float(np.finfo(np.float32).tiny)
FLT_MAX = float(np.finfo(np.float32).max)
# Klambauer et al., "Self-Normalizing Neural Networks" (2017), equation 14.
SELU_ALPHA = 1.6732632423543772
SELU_SCALE = 1.0507009873554805

_erf_of_one = np.frompyfunc(math.erf, 1, 1)


def erf(x: Array) -> Array:
    """``2 / sqrt(pi) * integral of exp(-t * t) from 0 to x``: ``math.erf`` of every element, which numpy lacks."""
    return np.asarray(_erf_of_one(x), dtype=x.dtype)


def sigmoid(x: Array) -> Array:
    """``1 / (1 + exp(-x))``."""
    return np.asarray(1 / (1 + np.exp(-x)))


def swish(x: Array) -> Array:
    """``x * sigmoid(x)``."""
    return x * sigmoid(x)


def hsigmoid(x: Array) -> Array:
    """``min(max(x + 3, 0), 6) / 6``."""
    return np.asarray(np.clip(x + 3, 0, 6) / 6)


def hswish(x: Array) -> Array:
    """``x * min(max(x + 3, 0), 6) / 6``."""
    return x * hsigmoid(x)


def softplus(x: Array) -> Array:
    """``log(1 + exp(x))``, which does not overflow."""
    return np.asarray(np.logaddexp(0, x))


def softsign(x: Array) -> Array:
    """``x / (1 + |x|)``."""
    return np.asarray(x / (1 + np.abs(x)))


def elu(x: Array, alpha: float) -> Array:
    """``x`` above 0, else ``alpha * (exp(x) - 1)``."""
    return np.where(x > 0, x, alpha * np.expm1(x))


def selu(x: Array) -> Array:
    """``1.0507 * elu(x, 1.67326)``."""
    return np.asarray(SELU_SCALE * elu(x, SELU_ALPHA))


def leaky_relu(x: Array, alpha: float | Array) -> Array:
    """``x`` above 0, else ``alpha * x``."""
    return np.where(x > 0, x, alpha * x)


def threshold_relu(x: Array, alpha: float) -> Array:
    """``x`` above ``alpha``, else 0."""
    return np.where(x <= alpha, 0, x)


def hard_tanh(x: Array, min_val: float, max_val: float) -> Array:
    """``x`` clamped to ``[min_val, max_val]``; FLT_MIN as ``min_val`` and FLT_MAX as ``max_val`` mean no bound."""
    low = -np.inf if min_val == FLT_MIN else min_val
    high = np.inf if max_val == FLT_MAX else max_val
    return np.asarray(np.clip(x, low, high))


def gelu(x: Array) -> Array:
    """``0.5 * x * (1 + erf(x / sqrt(2)))``."""
    return np.asarray(0.5 * x * (1 + erf(x * math.sqrt(0.5))))


def gelu_tanh(x: Array) -> Array:
    """``0.5 * x * (1 + tanh((0.79788456 + 0.03567741 * x * x) * x))``, the approximation by tanh."""
    return np.asarray(0.5 * x * (1 + np.tanh((0.79788456 + 0.03567741 * x * x) * x)))


def fast_gelu(x: Array) -> Array:
    """``x * sigmoid(1.702 * x)`` (Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016)."""
    return x * sigmoid(1.702 * x)
