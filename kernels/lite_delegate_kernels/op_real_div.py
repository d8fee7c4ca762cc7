"""RealDiv: the quotient of two arrays."""

from __future__ import annotations

import numpy as np

from ._arithmetic import infer_binary, truncated_divide
from ._dtypes import NUMBERS
from ._kernel import Array, ArraySpec, ReferenceKernel


@np.errstate(all="ignore")
def real_div(a: Array, b: Array) -> Array:
    """``a / b``, broadcast. Integers truncate toward zero, as in C.

    Args:
        a: any shape, float or integer.
        b: the dtype of ``a``, a shape that broadcasts with it.

    Returns:
        The broadcast shape, the dtype of the inputs. Floats over zero give infinities and NaN.

    Raises:
        KernelInputError: an integer division by zero.
    """
    return np.asarray(np.divide(a, b) if a.dtype.kind == "f" else truncated_divide(a, b))


def infer_real_div(a: ArraySpec, b: ArraySpec) -> ArraySpec:
    """The broadcast shape; raises KernelInputError for mixed dtypes and shapes that do not fit."""
    return infer_binary(a, b)


KERNEL = ReferenceKernel("RealDiv", real_div, infer_real_div, NUMBERS)
