"""Unique: the different elements, or slices along an axis."""

from __future__ import annotations

import numpy as np

from .._dtypes import ALL_DTYPES, check_dtype
from .._kernel import UNKNOWN, Array, ArraySpec, ReferenceKernel
from ._shared import axis_of, with_dim


def unique(x: Array, *, axis: int | None = None, sorted: int = 1) -> tuple[Array, Array, Array, Array]:
    """The different elements of ``x``, or the different slices along ``axis``.

    Args:
        x: any shape; elements of all of it in a row without ``axis``.
        sorted: in ascending order; otherwise in the order of first occurrence.

    Returns:
        The different elements or slices; where each is first; for each of ``x`` its place among them; how often each is
        there. The last three are int64 of rank 1.
    """
    place = None if axis is None else axis_of(axis, x.ndim)
    y, first, back, counts = np.unique(x, return_index=True, return_inverse=True, return_counts=True, axis=place)
    back = back.reshape(-1)
    if not sorted:
        order = np.argsort(first, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        y, first, counts, back = np.take(y, order, axis=place or 0), first[order], counts[order], rank[back]
    return y, first.astype(np.int64), back.astype(np.int64), counts.astype(np.int64)


def infer_unique(x: ArraySpec, *, axis: int | None) -> tuple[ArraySpec, ArraySpec, ArraySpec, ArraySpec]:
    """Infers the results of ``unique``; their number is known only when the elements are known."""
    check_dtype(x, ALL_DTYPES)
    if x.shape is not None and axis is not None:
        axis_of(axis, len(x.shape))
    if axis is None:
        shape: tuple[int, ...] | None = (UNKNOWN,)
        size = UNKNOWN if not x.known or x.shape is None else int(np.prod(x.shape))
    else:
        shape = with_dim(x.shape, axis, UNKNOWN)
        size = UNKNOWN if x.shape is None else x.shape[axis]
    places, row = ArraySpec(np.dtype(np.int64), (size,)), ArraySpec(np.dtype(np.int64), (UNKNOWN,))
    return ArraySpec(x.dtype, shape), row, places, row


KERNEL = ReferenceKernel("ai.onnx.Unique", unique, infer_unique, ALL_DTYPES)
