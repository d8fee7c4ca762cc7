"""FloorMod: the remainder of a division that rounds down, with the sign of the divisor."""

from __future__ import annotations

import numpy as np

from ._arithmetic import check_divisor, infer_binary
from ._dtypes import NUMBERS
from ._kernel import Array, ArraySpec, ReferenceKernel


@np.errstate(all="ignore")
def floor_mod(a: Array, b: Array) -> Array:
    """``a`` less the largest whole multiple of ``b`` toward minus infinity, broadcast: Python's ``%``.

    Args:
        a: any shape, float or integer.
        b: the dtype of ``a``, a shape that broadcasts with it.

    Returns:
        The broadcast shape, the dtype of the inputs. A float modulo zero is NaN.

    Raises:
        KernelInputError: an integer division by zero.
    """
    if a.dtype.kind != "f":
        check_divisor(b)
    return np.asarray(np.mod(a, b))


def infer_floor_mod(a: ArraySpec, b: ArraySpec) -> ArraySpec:
    """The broadcast shape; raises KernelInputError for mixed dtypes and shapes that do not fit."""
    return infer_binary(a, b)


KERNEL = ReferenceKernel("FloorMod", floor_mod, infer_floor_mod, NUMBERS)
