"""Acos: the arc cosine of every element."""

from __future__ import annotations

import numpy as np

from .._dtypes import FLOATS
from .._kernel import Array, ArraySpec, ReferenceKernel
from .._unary import elementwise, infer_unary


@np.errstate(all="ignore")
def acos(x: Array) -> Array:
    """The arc cosine of ``x``, in radians, 0 to pi; NaN outside of -1 to 1; any shape, float."""
    return elementwise(np.arccos, x)


def infer_acos(x: ArraySpec) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for a dtype that the kernel does not take."""
    return infer_unary(x, FLOATS)


KERNEL = ReferenceKernel("ai.onnx.Acos", acos, infer_acos, FLOATS)
