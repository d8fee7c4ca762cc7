"""Atan: the arc tangent of every element."""

from __future__ import annotations

import numpy as np

from .._dtypes import FLOATS
from .._kernel import Array, ArraySpec, ReferenceKernel
from .._unary import elementwise, infer_unary


@np.errstate(all="ignore")
def atan(x: Array) -> Array:
    """The arc tangent of ``x``, in radians, -pi/2 to pi/2; any shape, float."""
    return elementwise(np.arctan, x)


def infer_atan(x: ArraySpec) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for a dtype that the kernel does not take."""
    return infer_unary(x, FLOATS)


KERNEL = ReferenceKernel("ai.onnx.Atan", atan, infer_atan, FLOATS)
