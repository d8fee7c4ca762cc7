"""Abs: the magnitude of every element."""

from __future__ import annotations

import numpy as np

from ._dtypes import NUMBERS
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._unary import infer_unary


@np.errstate(all="ignore")
def abs_(x: Array) -> Array:
    """``x`` without its sign. The lowest integer of a signed type stays what it is.

    Args:
        x: any shape, float or integer.

    Returns:
        The shape and dtype of ``x``.
    """
    return np.asarray(np.abs(x))


def infer_abs(x: ArraySpec) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for a dtype that the kernel does not take."""
    return infer_unary(x, NUMBERS)


KERNEL = ReferenceKernel("Abs", abs_, infer_abs, NUMBERS)
