"""Gather: slices of one axis, picked by index."""

from __future__ import annotations

import numpy as np

from ._dtypes import ALL_DTYPES
from ._indexing import index_error, out_of_range
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from ._movement import constant_ints, int_list, single_int, unknown_shape
from ._shapes import normalize_axis


def gather(x: Array, indices: Array, axis: Array) -> Array:
    """The slices of ``x`` at ``indices`` along ``axis``.

    Args:
        x: any rank >= 1, any dtype.
        indices: integers of any shape, in ``[-dim, dim)`` where dim is dimension ``axis`` of ``x``.
        axis: one integer, negative counts from the end.

    Returns:
        Shape ``x.shape[:axis] + indices.shape + x.shape[axis + 1:]``; for a single index a view of ``x``.

    Raises:
        KernelInputError: an index or ``axis`` is out of range.

    NOTE: MindSpore Lite writes zeros for an index that is out of range; here that is an error.
    """
    a = normalize_axis(single_int(int_list(axis, "axis"), "axis"), x.ndim)
    try:
        if indices.ndim == 0:
            return np.asarray(x[(slice(None),) * a + (int(indices),)])
        return np.asarray(np.take(x, indices.astype(np.intp, copy=False), axis=a))
    except IndexError as e:
        raise KernelInputError(index_error(indices, x.shape[a])) from e


def infer_gather(x: ArraySpec, indices: ArraySpec, axis: ArraySpec) -> ArraySpec:
    """Dimension ``axis`` of ``x`` replaced by those of ``indices``; the rank alone where ``axis`` is not constant."""
    a_value = constant_ints(axis, "axis")
    if indices.dtype.kind not in "iu":
        raise KernelInputError(f"indices must be integers, got {indices.dtype.name}")
    if x.shape is None or indices.shape is None:
        return ArraySpec(x.dtype, None)
    if not x.shape:
        raise KernelInputError("input must have at least one dimension, got a scalar")
    if a_value is None:
        return ArraySpec(x.dtype, unknown_shape(len(x.shape) - 1 + len(indices.shape)))
    a = normalize_axis(single_int(a_value, "axis"), len(x.shape))
    if indices.value is not None and x.shape[a] >= 0 and out_of_range(indices.value, x.shape[a]).size:
        raise KernelInputError(index_error(indices.value, x.shape[a]))
    return ArraySpec(x.dtype, (*x.shape[:a], *indices.shape, *x.shape[a + 1 :]))


KERNEL = ReferenceKernel("Gather", gather, infer_gather, ALL_DTYPES)
