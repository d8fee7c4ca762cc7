"""OnesLike: an array of ones in the shape of another."""

from __future__ import annotations

import numpy as np

from ._dtypes import ALL_DTYPES
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._unary import infer_unary


def ones_like(x: Array) -> Array:
    """One for every element of ``x``, which may have any shape and dtype; for bool that is True.

    Returns:
        The shape and dtype of ``x``.
    """
    return np.ones(x.shape, dtype=x.dtype)


def infer_ones_like(x: ArraySpec) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for a dtype that the kernel does not take."""
    return infer_unary(x, ALL_DTYPES)


KERNEL = ReferenceKernel("OnesLike", ones_like, infer_ones_like, ALL_DTYPES)
