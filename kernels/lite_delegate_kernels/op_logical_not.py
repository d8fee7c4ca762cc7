"""LogicalNot: the logical negation of every element."""

from __future__ import annotations

import numpy as np

from ._dtypes import ALL_DTYPES
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._unary import infer_unary


def logical_not(x: Array) -> Array:
    """True where ``x`` is not true. A number is true when it is not 0; NaN is not 0.

    NOTE: numbers give 1 and 0 in their own dtype, as in MindSpore Lite (CPU); TensorFlow and ONNX take bool only.

    Args:
        x: any shape, any dtype.

    Returns:
        The shape and dtype of ``x``.
    """
    return np.asarray(np.logical_not(x), dtype=x.dtype)


def infer_logical_not(x: ArraySpec) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for a dtype that the kernel does not take."""
    return infer_unary(x, ALL_DTYPES)


KERNEL = ReferenceKernel("LogicalNot", logical_not, infer_logical_not, ALL_DTYPES)
