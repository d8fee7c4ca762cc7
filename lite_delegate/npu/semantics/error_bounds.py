"""Error bounds of the device: for sums of products, and for chains of them.

Storing a number rounds it to float16: an error of at most ``UNIT_ROUNDOFF`` times its size, or ``TINY_ROUNDOFF``
where it is too small for the format's full precision. A sum of K products x[k] * w[k] meets four errors:

1. each x[k] and w[k] is rounded when it is stored: (1 + u)^2 - 1 of sum |x||w|, u = 2**-11;
2. each addition and multiplication in float32 rounds: K 2**-24 / (1 - K 2**-24) of the same sum, whatever the
   order of the additions (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1);
3. the result is rounded when it is stored: u of the result;
4. an x from an earlier instruction is off already, by up to e[k]: sum e[k] |w[k]| more.

A chain is bounded by taking each layer's bound as the next one's e. Such a bound adds up the worst of every
rounding, which grows far beyond the actual error of a chain of several layers. ``matmul_deviation`` gives the expected
error instead: roundings taken as independent, each uniform over its interval, so that their variances add up (the
standard statistical model of rounding, e.g. Higham and Mary, A New Approach to Probabilistic Rounding Error Analysis).

A convolution is such a product for each window (``windows``). Where the device keeps float32 instead of float16,
``element`` says so, and u is 2**-24.

Nothing here holds for numbers beyond the type's range (65504 in float16), which become infinite.
"""

from __future__ import annotations

import numpy as np

from ..device.programs.instruction import Array
from ..device.programs.program import ElementType
from ..device.programs.window import Window

UNIT_ROUNDOFF = 2.0**-11
"""Half the distance from 1 to the next float16 number."""

TINY_ROUNDOFF = 2.0**-25
"""Half the distance between the smallest (subnormal) float16 numbers."""

FLOAT32_ROUNDOFF = 2.0**-24
"""Half the distance from 1 to the next float32 number."""

FLOAT32_TINY_ROUNDOFF = 2.0**-150
"""Half the distance between the smallest (subnormal) float32 numbers."""

FLOAT16 = ElementType.FLOAT16
_ROUNDOFFS = {
    ElementType.FLOAT16: (UNIT_ROUNDOFF, TINY_ROUNDOFF),
    ElementType.FLOAT32: (FLOAT32_ROUNDOFF, FLOAT32_TINY_ROUNDOFF),
}


def storage_error(values: Array, element: ElementType = FLOAT16) -> Array:
    """Bound on the error of storing ``values`` (any shape) as ``element``, element by element."""
    unit, tiny = _ROUNDOFFS[element]
    return np.asarray(unit * np.abs(values.astype(np.float64)) + tiny)


def matmul_error(
    x: Array,
    weight: Array,
    bias: Array | None = None,
    input_error: Array | None = None,
    element: ElementType = FLOAT16,
) -> Array:
    """Bound on the error of the device's ``x @ weight + bias``, element by element.

    Args:
        x: exact left operand (..., M, K).
        weight: exact right operand (K, N).
        bias: (N,) or None.
        input_error: bound on the error with which x reaches the device, (..., M, K); None when x crosses from
            the host, and is rounded on the way.
        element: in which the device keeps real numbers.
    """
    x, weight = x.astype(np.float64), weight.astype(np.float64)
    addend = np.zeros(weight.shape[-1]) if bias is None else bias.astype(np.float64)
    error_x = storage_error(x, element) if input_error is None else input_error
    error_w, error_b = storage_error(weight, element), storage_error(addend, element) if bias is not None else addend
    size_x, size_w = np.abs(x) + error_x, np.abs(weight) + error_w
    operands = error_x @ size_w + np.abs(x) @ error_w + error_b
    roundings = FLOAT32_ROUNDOFF * (x.shape[-1] + 2)
    sums = roundings / (1.0 - roundings) * (size_x @ size_w + np.abs(addend) + error_b)
    return np.asarray(operands + sums + storage_error(np.abs(x @ weight + addend) + operands + sums, element))


def storage_deviation(values: Array, element: ElementType = FLOAT16) -> Array:
    """Standard deviation of the error of storing ``values`` (any shape) as ``element``, element by element."""
    return np.asarray(storage_error(values, element) / np.sqrt(3.0))


def matmul_deviation(
    x: Array, weight: Array, bias: Array | None = None, deviation: Array | None = None, element: ElementType = FLOAT16
) -> Array:
    """Standard deviation of the error of the device's ``x @ weight + bias``, element by element.

    Args:
        x: exact left operand (..., M, K).
        weight: exact right operand (K, N).
        bias: (N,) or None.
        deviation: standard deviation of the error with which x reaches the device, (..., M, K); None when x
            crosses from the host, and is rounded on the way.
        element: in which the device keeps real numbers.
    """
    x, weight = x.astype(np.float64), weight.astype(np.float64)
    addend = np.zeros(weight.shape[-1]) if bias is None else bias.astype(np.float64)
    variance_x = np.square(storage_deviation(x, element) if deviation is None else deviation)
    operands = variance_x @ np.square(weight) + np.square(x) @ np.square(storage_deviation(weight, element))
    sums = np.square(FLOAT32_ROUNDOFF) * x.shape[-1] * (np.square(x) @ np.square(weight) + np.square(addend))
    result = np.square(storage_deviation(x @ weight + addend, element))
    added = np.square(storage_deviation(addend, element) * (bias is not None))
    return np.asarray(np.sqrt(operands + sums + result + added))


def windows(x: Array, window: Window, group: int = 1) -> Array:
    """The operands of a convolution's products: x (N, H, W, C) to (group, N, rows, columns, Kh * Kw * C / group).

    With the weight (Cout, Kh, Kw, C/group) as ``weight.reshape(group, Cout / group, -1)`` its sums are matrix
    products; padding is zeros, of which an error is zero too. So this serves numbers, bounds and deviations alike.
    """
    batch, _, _, channels = x.shape
    padded = window.padded(x.transpose(0, 3, 1, 2), 0.0)
    taps = np.stack(list(window.taps(padded)), axis=1)
    parts = taps.reshape(batch, -1, group, channels // group, *window.output)
    return np.asarray(parts.transpose(2, 0, 4, 5, 1, 3).reshape(group, batch, *window.output, -1))
