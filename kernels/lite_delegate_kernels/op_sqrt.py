"""Sqrt: the square root of every element."""

from __future__ import annotations

import numpy as np

from ._dtypes import FLOATS
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._unary import elementwise, infer_unary


@np.errstate(all="ignore")
def sqrt(x: Array) -> Array:
    """The square root; NaN below 0.

    NOTE: MindSpore Lite's CPU kernel fails below 0; here IEEE 754 decides.

    Args:
        x: any shape, float.

    Returns:
        The shape and dtype of ``x``. float16 is computed in float32.
    """
    return elementwise(np.sqrt, x)


def infer_sqrt(x: ArraySpec) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for a dtype that the kernel does not take."""
    return infer_unary(x, FLOATS)


KERNEL = ReferenceKernel("Sqrt", sqrt, infer_sqrt, FLOATS)
