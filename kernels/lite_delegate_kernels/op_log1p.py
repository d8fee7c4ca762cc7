"""Log1p: the natural logarithm of one more than every element."""

from __future__ import annotations

import numpy as np

from ._dtypes import FLOATS
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._unary import elementwise, infer_unary


@np.errstate(all="ignore")
def log1p(x: Array) -> Array:
    """``log(1 + x)``, exact near 0 too; NaN below -1, minus infinity at -1.

    NOTE: MindSpore Lite's CPU kernel fails at -1 and below; here IEEE 754 decides.

    Args:
        x: any shape, float.

    Returns:
        The shape and dtype of ``x``. float16 is computed in float32.
    """
    return elementwise(np.log1p, x)


def infer_log1p(x: ArraySpec) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for a dtype that the kernel does not take."""
    return infer_unary(x, FLOATS)


KERNEL = ReferenceKernel("Log1p", log1p, infer_log1p, FLOATS)
