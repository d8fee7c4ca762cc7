"""Rank: the number of dimensions of its input."""

from __future__ import annotations

import numpy as np

from ._dtypes import ALL_DTYPES
from ._kernel import Array, ArraySpec, ReferenceKernel

_INT32 = np.dtype(np.int32)


def rank(x: Array) -> Array:
    """The number of dimensions of ``x``, int32, rank 0."""
    return np.array(x.ndim, dtype=_INT32)


def infer_rank(x: ArraySpec) -> ArraySpec:
    """A scalar, with its value where the rank of ``x`` is known."""
    if x.shape is None:
        return ArraySpec(_INT32, ())
    return ArraySpec(_INT32, (), np.array(len(x.shape), dtype=_INT32))


KERNEL = ReferenceKernel("Rank", rank, infer_rank, ALL_DTYPES)
