"""Shape: the dimensions of its input as a vector."""

from __future__ import annotations

import numpy as np

from ._dtypes import ALL_DTYPES
from ._kernel import UNKNOWN, Array, ArraySpec, ReferenceKernel

_INT32 = np.dtype(np.int32)


def shape(x: Array) -> Array:
    """The dimensions of ``x``, int32, shape (rank of ``x``,)."""
    return np.array(x.shape, dtype=_INT32)


def infer_shape(x: ArraySpec) -> ArraySpec:
    """A vector as long as the rank of ``x``, with its value where every dimension is known."""
    if x.shape is None:
        return ArraySpec(_INT32, (UNKNOWN,))
    value = np.array(x.shape, dtype=_INT32) if x.known else None
    return ArraySpec(_INT32, (len(x.shape),), value)


KERNEL = ReferenceKernel("Shape", shape, infer_shape, ALL_DTYPES)
