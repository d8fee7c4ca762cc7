"""Reciprocal: one over every element."""

from __future__ import annotations

import numpy as np

from ._dtypes import FLOATS
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._unary import elementwise, infer_unary


@np.errstate(all="ignore")
def reciprocal(x: Array) -> Array:
    """``1 / x``; an infinity at 0, with the sign of the zero.

    NOTE: MindSpore Lite's CPU kernel fails at 0; here IEEE 754 decides.

    Args:
        x: any shape, float.

    Returns:
        The shape and dtype of ``x``. float16 is computed in float32.
    """
    return elementwise(np.reciprocal, x)


def infer_reciprocal(x: ArraySpec) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for a dtype that the kernel does not take."""
    return infer_unary(x, FLOATS)


KERNEL = ReferenceKernel("Reciprocal", reciprocal, infer_reciprocal, FLOATS)
