"""ZerosLike: an array of zeros in the shape of another."""

from __future__ import annotations

import numpy as np

from ._dtypes import ALL_DTYPES
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._unary import infer_unary


def zeros_like(x: Array) -> Array:
    """Zero for every element of ``x``, which may have any shape and dtype; for bool that is False.

    Returns:
        The shape and dtype of ``x``.
    """
    return np.zeros(x.shape, dtype=x.dtype)


def infer_zeros_like(x: ArraySpec) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for a dtype that the kernel does not take."""
    return infer_unary(x, ALL_DTYPES)


KERNEL = ReferenceKernel("ZerosLike", zeros_like, infer_zeros_like, ALL_DTYPES)
