"""Equal: whether two arrays are equal, element by element."""

from __future__ import annotations

import numpy as np

from ._arithmetic import infer_comparison
from ._dtypes import ALL_DTYPES
from ._kernel import Array, ArraySpec, ReferenceKernel


def equal(a: Array, b: Array) -> Array:
    """``a == b``, broadcast. NaN equals nothing; 0 and -0 are equal.

    Args:
        a: any shape, any dtype.
        b: the dtype of ``a``, a shape that broadcasts with it.

    Returns:
        The broadcast shape, bool.
    """
    return np.asarray(np.equal(a, b))


def infer_equal(a: ArraySpec, b: ArraySpec) -> ArraySpec:
    """The broadcast shape, bool; raises KernelInputError for mixed dtypes and shapes that do not fit."""
    return infer_comparison(a, b, ALL_DTYPES)


KERNEL = ReferenceKernel("Equal", equal, infer_equal, ALL_DTYPES)
