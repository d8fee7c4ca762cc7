"""LogicalAnd: the logical and of two arrays, element by element."""

from __future__ import annotations

import numpy as np

from ._arithmetic import infer_binary
from ._dtypes import ALL_DTYPES
from ._kernel import Array, ArraySpec, ReferenceKernel


def logical_and(a: Array, b: Array) -> Array:
    """True where both ``a`` and ``b`` are true, broadcast. A number is true when it is not 0; NaN is not 0.

    NOTE: numbers give 1 and 0 in their own dtype, as in MindSpore Lite (CPU); TensorFlow and ONNX take bool only.

    Args:
        a: any shape, any dtype.
        b: the dtype of ``a``, a shape that broadcasts with it.

    Returns:
        The broadcast shape, the dtype of the inputs.
    """
    return np.asarray(np.logical_and(a, b), dtype=a.dtype)


def infer_logical_and(a: ArraySpec, b: ArraySpec) -> ArraySpec:
    """The broadcast shape; raises KernelInputError for mixed dtypes and shapes that do not fit."""
    return infer_binary(a, b, ALL_DTYPES)


KERNEL = ReferenceKernel("LogicalAnd", logical_and, infer_logical_and, ALL_DTYPES)
