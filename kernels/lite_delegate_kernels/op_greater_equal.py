"""GreaterEqual: whether one array is not below another, element by element."""

from __future__ import annotations

import numpy as np

from ._arithmetic import infer_comparison
from ._dtypes import NUMBERS
from ._kernel import Array, ArraySpec, ReferenceKernel


def greater_equal(a: Array, b: Array) -> Array:
    """``a >= b``, broadcast; False where either is NaN.

    Args:
        a: any shape, float or integer.
        b: the dtype of ``a``, a shape that broadcasts with it.

    Returns:
        The broadcast shape, bool.
    """
    return np.asarray(np.greater_equal(a, b))


def infer_greater_equal(a: ArraySpec, b: ArraySpec) -> ArraySpec:
    """The broadcast shape, bool; raises KernelInputError for mixed dtypes and shapes that do not fit."""
    return infer_comparison(a, b)


KERNEL = ReferenceKernel("GreaterEqual", greater_equal, infer_greater_equal, NUMBERS)
