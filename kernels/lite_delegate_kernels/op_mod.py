"""Mod: the remainder of a division that truncates, with the sign of the dividend."""

from __future__ import annotations

import numpy as np

from ._arithmetic import check_divisor, infer_binary
from ._dtypes import NUMBERS
from ._kernel import Array, ArraySpec, ReferenceKernel


@np.errstate(all="ignore")
def mod(a: Array, b: Array) -> Array:
    """``a`` less the whole multiple of ``b`` next to it toward 0, broadcast: C's ``%`` and ``fmod``.

    Args:
        a: any shape, float or integer.
        b: the dtype of ``a``, a shape that broadcasts with it.

    Returns:
        The broadcast shape, the dtype of the inputs. A float modulo zero is NaN, modulo an infinity it is itself.

    Raises:
        KernelInputError: an integer division by zero.
    """
    if a.dtype.kind != "f":
        check_divisor(b)
    return np.asarray(np.fmod(a, b))


def infer_mod(a: ArraySpec, b: ArraySpec) -> ArraySpec:
    """The broadcast shape; raises KernelInputError for mixed dtypes and shapes that do not fit."""
    return infer_binary(a, b)


KERNEL = ReferenceKernel("Mod", mod, infer_mod, NUMBERS)
