"""The error function, which numpy lacks: vectorised for float32, per element for float64."""

from __future__ import annotations

import math

import numpy as np

from ._kernel import Array

# Both polynomials are our own: interpolation at 400 Chebyshev nodes of what ``math.erf`` and ``math.erfc`` give,
# truncated to the degree below, coefficients from the constant upwards and rounded to float32.
# Near zero: erf(a) = a + a * p(a * a), 0 <= a <= 1. The last coefficient is 1.4e-8 below that of the interpolation, so
# that both formulas give the same float32 at 1, where they meet: the one nearest to erf(1).
_NEAR = np.array(
    [
        0.12837916612625122,
        -0.3761262595653534,
        0.11283597350120544,
        -0.02685432881116867,
        0.005189312156289816,
        -0.0008018855005502701,
        7.8810975e-05,
    ],
    np.float32,
)
# Further out: erf(a) = 1 - exp(p(a)), 1 <= a <= 4, where p approximates log(erfc(a)).
_FAR = np.array(
    [
        0.00030321296071633697,
        -1.1301666498184204,
        -0.6319370865821838,
        -0.10997824370861053,
        0.02636471763253212,
        -0.004740222357213497,
        0.0005927695310674608,
        -4.559062290354632e-05,
        1.6140616025950294e-06,
    ],
    np.float32,
)
# erf(4) = 1 - 1.5e-8 is 1 in float32.
_SATURATED = 4.0
# Few enough elements for the intermediate arrays to stay in a core's second-level cache, and enough for numpy's calls
# not to take longer than their work.
_BLOCK = 32768

_exact = np.frompyfunc(math.erf, 1, 1)


def erf(x: Array) -> Array:
    """``2 / sqrt(pi) * integral of exp(-t * t) from 0 to x``, element by element.

    Args:
        x: float32 or float64, any shape.

    Returns:
        The shape and dtype of ``x``. float32 is within 2 units in the last place, float64 is ``math.erf``.
        NaN gives NaN, infinities give -1 and 1, the sign of zero is kept.
    """
    if x.dtype == np.float64:
        return np.asarray(_exact(x), dtype=np.float64)
    flat = np.ascontiguousarray(x).reshape(-1)
    out = np.empty_like(flat)
    for start in range(0, flat.size, _BLOCK):
        _erf_block(flat[start : start + _BLOCK], out[start : start + _BLOCK])
    return out.reshape(x.shape)


def _erf_block(x: Array, out: Array) -> None:
    """``near`` up to 1, and beyond that what ``far`` has more than at 1: nothing needs to choose between the two."""
    inner = np.clip(x, np.float32(-1), np.float32(1))
    near = _polynomial(_NEAR, inner * inner)
    near *= inner
    near += inner
    outer = np.abs(x)
    np.clip(outer, np.float32(1), np.float32(_SATURATED), out=outer)
    far = _polynomial(_FAR, outer)
    np.exp(far, out=far)
    np.subtract(_FAR_AT_1, far, out=far)
    # ``inner`` is -1 or 1 wherever the difference is not 0: it gives the sign.
    far *= inner
    np.add(near, far, out=out)


def _polynomial(coefficients: Array, x: Array) -> Array:
    y: Array = x * coefficients[-1]
    for c in coefficients[-2:0:-1]:
        y += c
        y *= x
    y += coefficients[0]
    return y


_FAR_AT_1 = np.exp(_polynomial(_FAR, np.ones(1, dtype=np.float32)))
