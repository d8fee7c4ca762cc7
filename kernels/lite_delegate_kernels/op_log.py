"""Log: the natural logarithm of every element."""

from __future__ import annotations

import numpy as np

from ._dtypes import FLOATS
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._unary import elementwise, infer_unary


@np.errstate(all="ignore")
def log(x: Array) -> Array:
    """The logarithm to base e; NaN below 0, minus infinity at 0.

    NOTE: MindSpore Lite's CPU kernel fails at 0 and below; here IEEE 754 decides.

    Args:
        x: any shape, float.

    Returns:
        The shape and dtype of ``x``. float16 is computed in float32.
    """
    return elementwise(np.log, x)


def infer_log(x: ArraySpec) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for a dtype that the kernel does not take."""
    return infer_unary(x, FLOATS)


KERNEL = ReferenceKernel("Log", log, infer_log, FLOATS)
