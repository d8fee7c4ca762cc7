"""Square: the square of every element."""

from __future__ import annotations

import numpy as np

from ._dtypes import NUMBERS
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._unary import infer_unary


@np.errstate(all="ignore")
def square(x: Array) -> Array:
    """``x * x``. Integers wrap around.

    Args:
        x: any shape, float or integer.

    Returns:
        The shape and dtype of ``x``.
    """
    return np.asarray(np.square(x))


def infer_square(x: ArraySpec) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for a dtype that the kernel does not take."""
    return infer_unary(x, NUMBERS)


KERNEL = ReferenceKernel("Square", square, infer_square, NUMBERS)
