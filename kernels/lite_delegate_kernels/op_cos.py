"""Cos: the cosine of every element."""

from __future__ import annotations

import numpy as np

from ._dtypes import FLOATS
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._unary import elementwise, infer_unary


@np.errstate(all="ignore")
def cos(x: Array) -> Array:
    """The cosine of an angle in radians; NaN at infinities.

    Args:
        x: any shape, float.

    Returns:
        The shape and dtype of ``x``. float16 is computed in float32.
    """
    return elementwise(np.cos, x)


def infer_cos(x: ArraySpec) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for a dtype that the kernel does not take."""
    return infer_unary(x, FLOATS)


KERNEL = ReferenceKernel("Cos", cos, infer_cos, FLOATS)
