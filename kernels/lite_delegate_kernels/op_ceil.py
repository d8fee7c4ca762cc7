"""Ceil: every element rounded up."""

from __future__ import annotations

import numpy as np

from ._dtypes import FLOATS
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._unary import infer_unary


@np.errstate(all="ignore")
def ceil(x: Array) -> Array:
    """The smallest whole number that is not below ``x``.

    Args:
        x: any shape, float.

    Returns:
        The shape and dtype of ``x``.
    """
    return np.asarray(np.ceil(x))


def infer_ceil(x: ArraySpec) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for a dtype that the kernel does not take."""
    return infer_unary(x, FLOATS)


KERNEL = ReferenceKernel("Ceil", ceil, infer_ceil, FLOATS)
