"""Size: the number of elements of its input."""

from __future__ import annotations

import numpy as np

from ._dtypes import ALL_DTYPES
from ._kernel import UNKNOWN, Array, ArraySpec, ReferenceKernel
from ._shapes import element_count

_INT32 = np.dtype(np.int32)


def size(x: Array) -> Array:
    """The number of elements of ``x``, int32, rank 0."""
    return np.array(x.size, dtype=_INT32)


def infer_size(x: ArraySpec) -> ArraySpec:
    """A scalar, with its value where every dimension of ``x`` is known."""
    if x.shape is None or element_count(x.shape) == UNKNOWN:
        return ArraySpec(_INT32, ())
    return ArraySpec(_INT32, (), np.array(element_count(x.shape), dtype=_INT32))


KERNEL = ReferenceKernel("Size", size, infer_size, ALL_DTYPES)
