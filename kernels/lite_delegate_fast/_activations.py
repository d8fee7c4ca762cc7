"""The activation functions in place and by what numpy does fast, over a float array of rank 1 or more.

Each returns an array of its own, of the dtype of ``x``, and never writes to ``x``. Callers silence numpy's
floating-point warnings: overflow to infinity is part of several formulas.
"""

from __future__ import annotations

import math

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._activations import FLT_MAX, FLT_MIN, SELU_ALPHA, SELU_SCALE

from ._erf import erf


def sigmoid(x: Array) -> Array:
    """``1 / (1 + exp(-x))``."""
    y: Array = np.negative(x)
    np.exp(y, out=y)
    y += 1
    return np.reciprocal(y, out=y)


def swish(x: Array) -> Array:
    """``x * sigmoid(x)``."""
    y = sigmoid(x)
    y *= x
    return y


def hsigmoid(x: Array) -> Array:
    """``min(max(x + 3, 0), 6) / 6``."""
    y: Array = x + 3
    np.maximum(y, 0, out=y)
    np.minimum(y, 6, out=y)
    y /= 6
    return y


def hswish(x: Array) -> Array:
    """``x * min(max(x + 3, 0), 6) / 6``."""
    y = hsigmoid(x)
    y *= x
    return y


def softplus(x: Array) -> Array:
    """``log(1 + exp(x))``, written ``max(x, 0) + log1p(exp(-|x|))`` so that nothing overflows."""
    y: Array = -np.abs(x)
    np.exp(y, out=y)
    np.log1p(y, out=y)
    y += np.maximum(x, 0)
    return y


def softsign(x: Array) -> Array:
    """``x / (1 + |x|)``."""
    y: Array = np.abs(x)
    y += 1
    return np.divide(x, y, out=y)


def elu(x: Array, alpha: float) -> Array:
    """``x`` above 0, else ``alpha * (exp(x) - 1)``."""
    # The two halves added, which numpy does several times faster than it selects by a mask.
    y: Array = np.expm1(np.minimum(x, 0))
    y *= alpha
    y += np.maximum(x, 0)
    return y


def selu(x: Array) -> Array:
    """``1.0507 * elu(x, 1.67326)``."""
    y = elu(x, SELU_ALPHA)
    y *= SELU_SCALE
    return y


def leaky_relu(x: Array, alpha: float | Array) -> Array:
    """``x`` above 0, else ``alpha * x``."""
    y: Array = np.minimum(x, 0)
    y *= alpha
    y += np.maximum(x, 0)
    return y


def threshold_relu(x: Array, alpha: float) -> Array:
    """``x`` above ``alpha``, else 0."""
    y = x.copy()
    y[x <= alpha] = 0
    return y


def hard_tanh(x: Array, min_val: float, max_val: float) -> Array:
    """``x`` clamped to ``[min_val, max_val]``; FLT_MIN as ``min_val`` and FLT_MAX as ``max_val`` mean no bound."""
    y = x.copy() if min_val == FLT_MIN else np.maximum(x, min_val)
    return y if max_val == FLT_MAX else np.minimum(y, max_val, out=y)


def gelu(x: Array) -> Array:
    """``0.5 * x * (1 + erf(x / sqrt(2)))``."""
    y = erf(x * math.sqrt(0.5))
    y += 1
    y *= x
    y *= 0.5
    return y


def gelu_tanh(x: Array) -> Array:
    """``0.5 * x * (1 + tanh((0.79788456 + 0.03567741 * x * x) * x))``, the approximation by tanh."""
    y: Array = x * x
    y *= 0.03567741
    y += 0.79788456
    y *= x
    np.tanh(y, out=y)
    y += 1
    y *= x
    y *= 0.5
    return y


def fast_gelu(x: Array) -> Array:
    """``x * sigmoid(1.702 * x)`` (Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016)."""
    y = sigmoid(x * 1.702)
    y *= x
    return y
