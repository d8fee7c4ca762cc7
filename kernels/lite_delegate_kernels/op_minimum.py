"""Minimum: the smaller of two arrays, element by element."""

from __future__ import annotations

import numpy as np

from ._arithmetic import infer_binary
from ._dtypes import NUMBERS
from ._kernel import Array, ArraySpec, ReferenceKernel


def minimum(a: Array, b: Array) -> Array:
    """The smaller of ``a`` and ``b``, broadcast; NaN where either is NaN (IEEE 754-2019 ``minimum``).

    Args:
        a: any shape, float or integer.
        b: the dtype of ``a``, a shape that broadcasts with it.

    Returns:
        The broadcast shape, the dtype of the inputs.
    """
    return np.asarray(np.minimum(a, b))


def infer_minimum(a: ArraySpec, b: ArraySpec) -> ArraySpec:
    """The broadcast shape; raises KernelInputError for mixed dtypes and shapes that do not fit."""
    return infer_binary(a, b)


KERNEL = ReferenceKernel("Minimum", minimum, infer_minimum, NUMBERS)
