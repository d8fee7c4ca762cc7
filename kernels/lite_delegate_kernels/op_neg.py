"""Neg: the negative of every element."""

from __future__ import annotations

import numpy as np

from ._dtypes import FLOATS, SIGNED_INTS
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._unary import infer_unary


@np.errstate(all="ignore")
def neg(x: Array) -> Array:
    """``-x``. The lowest integer of a type stays what it is.

    Args:
        x: any shape, float or signed integer.

    Returns:
        The shape and dtype of ``x``.
    """
    return np.asarray(np.negative(x))


def infer_neg(x: ArraySpec) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for a dtype that the kernel does not take."""
    return infer_unary(x, FLOATS + SIGNED_INTS)


KERNEL = ReferenceKernel("Neg", neg, infer_neg, FLOATS + SIGNED_INTS)
