"""Asin: the arc sine of every element."""

from __future__ import annotations

import numpy as np

from .._dtypes import FLOATS
from .._kernel import Array, ArraySpec, ReferenceKernel
from .._unary import elementwise, infer_unary


@np.errstate(all="ignore")
def asin(x: Array) -> Array:
    """The arc sine of ``x``, in radians, -pi/2 to pi/2; NaN outside of -1 to 1; any shape, float."""
    return elementwise(np.arcsin, x)


def infer_asin(x: ArraySpec) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for a dtype that the kernel does not take."""
    return infer_unary(x, FLOATS)


KERNEL = ReferenceKernel("ai.onnx.Asin", asin, infer_asin, FLOATS)
