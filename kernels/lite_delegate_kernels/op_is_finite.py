"""IsFinite: whether every element is a number and not an infinity."""

from __future__ import annotations

import numpy as np

from ._dtypes import FLOATS, check_dtype
from ._kernel import Array, ArraySpec, ReferenceKernel

_BOOL = np.dtype(np.bool_)


def is_finite(x: Array) -> Array:
    """True where ``x`` is neither NaN nor an infinity.

    Args:
        x: any shape, float.

    Returns:
        The shape of ``x``, bool.
    """
    return np.asarray(np.isfinite(x))


def infer_is_finite(x: ArraySpec) -> ArraySpec:
    """The shape of ``x``, bool; raises KernelInputError for other dtypes than floats."""
    check_dtype(x, FLOATS)
    return ArraySpec(_BOOL, x.shape)


KERNEL = ReferenceKernel("IsFinite", is_finite, infer_is_finite, FLOATS)
