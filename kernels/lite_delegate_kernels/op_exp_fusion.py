"""ExpFusion: a base to the power of every element, which is scaled and shifted first."""

from __future__ import annotations

import math

import numpy as np

from ._dtypes import FLOATS
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from ._unary import elementwise, infer_unary

NATURAL_BASE = -1.0
"""The value of ``base`` that stands for e."""


@np.errstate(all="ignore")
def exp_fusion(x: Array, *, base: float = NATURAL_BASE, scale: float = 1.0, shift: float = 0.0) -> Array:
    """``base ** (scale * x + shift)``.

    Args:
        x: any shape, float.
        base: positive and finite, or -1 for e.
        scale: multiplies ``x``.
        shift: added to the product.

    Returns:
        The shape and dtype of ``x``. float16 is computed in float32.
    """
    if base == NATURAL_BASE and scale == 1 and shift == 0:
        return elementwise(np.exp, x)
    return elementwise(lambda v: _power(base, v * scale + shift), x)


def infer_exp_fusion(x: ArraySpec, *, base: float) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for a base without real powers, or other dtypes than floats."""
    if base != NATURAL_BASE and not 0 < base < math.inf:
        raise KernelInputError(f"base must be positive and finite, or -1 for e, got {base}")
    return infer_unary(x, FLOATS)


def _power(base: float, exponent: Array) -> Array:
    if base == NATURAL_BASE:
        return np.asarray(np.exp(exponent))
    return np.asarray(np.power(exponent.dtype.type(base), exponent))


KERNEL = ReferenceKernel("ExpFusion", exp_fusion, infer_exp_fusion, FLOATS)
