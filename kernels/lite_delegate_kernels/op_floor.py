"""Floor: every element rounded down."""

from __future__ import annotations

import numpy as np

from ._dtypes import FLOATS
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._unary import infer_unary


@np.errstate(all="ignore")
def floor(x: Array) -> Array:
    """The largest whole number that is not above ``x``.

    Args:
        x: any shape, float.

    Returns:
        The shape and dtype of ``x``.
    """
    return np.asarray(np.floor(x))


def infer_floor(x: ArraySpec) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for a dtype that the kernel does not take."""
    return infer_unary(x, FLOATS)


KERNEL = ReferenceKernel("Floor", floor, infer_floor, FLOATS)
