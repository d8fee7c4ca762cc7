"""SquaredDifference: the square of the difference of two arrays."""

from __future__ import annotations

import numpy as np

from ._arithmetic import infer_binary
from ._dtypes import NUMBERS, widen
from ._kernel import Array, ArraySpec, ReferenceKernel


@np.errstate(all="ignore")
def squared_difference(a: Array, b: Array) -> Array:
    """``(a - b) * (a - b)``, broadcast. Integers wrap around.

    Args:
        a: any shape, float or integer.
        b: the dtype of ``a``, a shape that broadcasts with it.

    Returns:
        The broadcast shape, the dtype of the inputs. float16 is computed in float32.
    """
    return np.asarray(np.square(np.subtract(widen(a), widen(b))), dtype=a.dtype)


def infer_squared_difference(a: ArraySpec, b: ArraySpec) -> ArraySpec:
    """The broadcast shape; raises KernelInputError for mixed dtypes and shapes that do not fit."""
    return infer_binary(a, b)


KERNEL = ReferenceKernel("SquaredDifference", squared_difference, infer_squared_difference, NUMBERS)
