"""Unique: the different values of an array, and which of them each element is."""

from __future__ import annotations

import numpy as np

from ._dtypes import ALL_DTYPES
from ._kernel import UNKNOWN, Array, ArraySpec, ReferenceKernel
from ._shapes import element_count


def unique(x: Array) -> tuple[Array, Array]:
    """The values in the order in which they first appear.

    Args:
        x: any rank, read in row-major order, any dtype. NaN equals nothing, -0 equals 0.

    Returns:
        The values, 1-D; and int32, 1-D, for each element of ``x`` the place of its value.

    NOTE: MindSpore Lite allocates the values as many as ``x`` has elements; here they are as many as there are.
    """
    flat = x.ravel()
    _, first, inverse = np.unique(flat, return_index=True, return_inverse=True, equal_nan=False)
    order = np.argsort(first)
    place = np.empty(order.size, dtype=np.int32)
    place[order] = np.arange(order.size, dtype=np.int32)
    return flat[first[order]], place[inverse]


def infer_unique(x: ArraySpec) -> tuple[ArraySpec, ArraySpec]:
    """Values of ``UNKNOWN`` number, and as many places as ``x`` has elements."""
    count = UNKNOWN if x.shape is None else element_count(x.shape)
    return ArraySpec(x.dtype, (0 if count == 0 else UNKNOWN,)), ArraySpec(np.dtype(np.int32), (count,))


KERNEL = ReferenceKernel("Unique", unique, infer_unique, ALL_DTYPES)
