"""How far the device's numbers may be from exact ones: bounds for sums of products, and for chains of them.

Storing a number rounds it to float16: an error of at most ``UNIT_ROUNDOFF`` times its size, or ``TINY_ROUNDOFF``
where it is too small for the format's full precision. A sum of K products x[k] * w[k] meets four errors:

1. each x[k] and w[k] is rounded when it is stored: (1 + u)^2 - 1 of sum |x||w|, u = 2**-11;
2. each addition and multiplication in float32 rounds: K 2**-24 / (1 - K 2**-24) of the same sum, whatever the
   order of the additions (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1);
3. the result is rounded when it is stored: u of it;
4. where x came from an earlier instruction it is off already, by up to e[k]: sum e[k] |w[k]| more.

A chain is bounded by taking each layer's bound as the next one's e. Such a bound adds up the worst of every
rounding, which grows far beyond what happens in a chain of several layers. ``matmul_deviation`` says what to expect
instead: roundings taken as independent, each uniform over its interval, so that their variances add up (the
standard statistical model of rounding, e.g. Higham and Mary, A New Approach to Probabilistic Rounding Error Analysis).

Nothing here holds for numbers beyond 65504, which become infinite.
"""

from __future__ import annotations

import numpy as np

from .device.instruction import Array

UNIT_ROUNDOFF = 2.0**-11
"""Half the distance from 1 to the next float16 number."""

TINY_ROUNDOFF = 2.0**-25
"""Half the distance between the smallest (subnormal) float16 numbers."""

FLOAT32_ROUNDOFF = 2.0**-24
"""Half the distance from 1 to the next float32 number."""


def storage_error(values: Array) -> Array:
    """Bound on the error of storing ``values`` (any shape) as float16, element by element."""
    return np.asarray(UNIT_ROUNDOFF * np.abs(values.astype(np.float64)) + TINY_ROUNDOFF)


def matmul_error(x: Array, weight: Array, bias: Array | None = None, input_error: Array | None = None) -> Array:
    """Bound on the error of the device's ``x @ weight + bias``, element by element.

    Args:
        x: exact left operand (..., M, K).
        weight: exact right operand (K, N).
        bias: (N,) or None.
        input_error: bound on the error with which x reaches the device, (..., M, K); None when x crosses from
            the host, and is rounded on the way.
    """
    x, weight = x.astype(np.float64), weight.astype(np.float64)
    addend = np.zeros(weight.shape[-1]) if bias is None else bias.astype(np.float64)
    error_x = storage_error(x) if input_error is None else input_error
    error_w, error_b = storage_error(weight), storage_error(addend) if bias is not None else addend
    size_x, size_w = np.abs(x) + error_x, np.abs(weight) + error_w
    operands = error_x @ size_w + np.abs(x) @ error_w + error_b
    roundings = FLOAT32_ROUNDOFF * (x.shape[-1] + 2)
    sums = roundings / (1.0 - roundings) * (size_x @ size_w + np.abs(addend) + error_b)
    return np.asarray(operands + sums + storage_error(np.abs(x @ weight + addend) + operands + sums))


def storage_deviation(values: Array) -> Array:
    """Standard deviation of the error of storing ``values`` (any shape) as float16, element by element."""
    return np.asarray(storage_error(values) / np.sqrt(3.0))


def matmul_deviation(x: Array, weight: Array, bias: Array | None = None, deviation: Array | None = None) -> Array:
    """Standard deviation of the error of the device's ``x @ weight + bias``, element by element.

    Args:
        x: exact left operand (..., M, K).
        weight: exact right operand (K, N).
        bias: (N,) or None.
        deviation: standard deviation of the error with which x reaches the device, (..., M, K); None when x
            crosses from the host, and is rounded on the way.
    """
    x, weight = x.astype(np.float64), weight.astype(np.float64)
    addend = np.zeros(weight.shape[-1]) if bias is None else bias.astype(np.float64)
    variance_x = np.square(storage_deviation(x) if deviation is None else deviation)
    operands = variance_x @ np.square(weight) + np.square(x) @ np.square(storage_deviation(weight))
    sums = np.square(FLOAT32_ROUNDOFF) * x.shape[-1] * (np.square(x) @ np.square(weight) + np.square(addend))
    result = np.square(storage_deviation(x @ weight + addend))
    return np.asarray(np.sqrt(operands + sums + result + np.square(storage_deviation(addend) * (bias is not None))))
