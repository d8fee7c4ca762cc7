"""FloorDiv: the quotient of two arrays rounded down."""

from __future__ import annotations

import numpy as np

from ._arithmetic import check_divisor, infer_binary
from ._dtypes import NUMBERS, widen
from ._kernel import Array, ArraySpec, ReferenceKernel


@np.errstate(all="ignore")
def floor_div(a: Array, b: Array) -> Array:
    """``floor(a / b)``, broadcast.

    Floats are divided and the rounded quotient is floored, as in TensorFlow: 1 over 0.1 gives 10, where Python's ``//``
    gives 9 because the 0.1 of a float is a little more than a tenth. The lowest integer over -1 wraps to itself.

    Args:
        a: any shape, float or integer.
        b: the dtype of ``a``, a shape that broadcasts with it.

    Returns:
        The broadcast shape, the dtype of the inputs. float16 is divided in float32. Floats over zero give infinities
        and NaN.

    Raises:
        KernelInputError: an integer division by zero.
    """
    if a.dtype.kind == "f":
        return np.asarray(np.floor(np.divide(widen(a), widen(b))), dtype=a.dtype)
    check_divisor(b)
    return np.asarray(np.floor_divide(a, b))


def infer_floor_div(a: ArraySpec, b: ArraySpec) -> ArraySpec:
    """The broadcast shape; raises KernelInputError for mixed dtypes and shapes that do not fit."""
    return infer_binary(a, b)


KERNEL = ReferenceKernel("FloorDiv", floor_div, infer_floor_div, NUMBERS)
