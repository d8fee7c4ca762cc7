"""Maximum: the larger of two arrays, element by element."""

from __future__ import annotations

import numpy as np

from ._arithmetic import infer_binary
from ._dtypes import NUMBERS
from ._kernel import Array, ArraySpec, ReferenceKernel


def maximum(a: Array, b: Array) -> Array:
    """The larger of ``a`` and ``b``, broadcast; NaN where either is NaN (IEEE 754-2019 ``maximum``).

    Args:
        a: any shape, float or integer.
        b: the dtype of ``a``, a shape that broadcasts with it.

    Returns:
        The broadcast shape, the dtype of the inputs.
    """
    return np.asarray(np.maximum(a, b))


def infer_maximum(a: ArraySpec, b: ArraySpec) -> ArraySpec:
    """The broadcast shape; raises KernelInputError for mixed dtypes and shapes that do not fit."""
    return infer_binary(a, b)


KERNEL = ReferenceKernel("Maximum", maximum, infer_maximum, NUMBERS)
