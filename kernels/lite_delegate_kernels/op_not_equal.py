"""NotEqual: whether two arrays differ, element by element."""

from __future__ import annotations

import numpy as np

from ._arithmetic import infer_comparison
from ._dtypes import ALL_DTYPES
from ._kernel import Array, ArraySpec, ReferenceKernel


def not_equal(a: Array, b: Array) -> Array:
    """``a != b``, broadcast. NaN differs from everything; 0 and -0 do not differ.

    Args:
        a: any shape, any dtype.
        b: the dtype of ``a``, a shape that broadcasts with it.

    Returns:
        The broadcast shape, bool.
    """
    return np.asarray(np.not_equal(a, b))


def infer_not_equal(a: ArraySpec, b: ArraySpec) -> ArraySpec:
    """The broadcast shape, bool; raises KernelInputError for mixed dtypes and shapes that do not fit."""
    return infer_comparison(a, b, ALL_DTYPES)


KERNEL = ReferenceKernel("NotEqual", not_equal, infer_not_equal, ALL_DTYPES)
