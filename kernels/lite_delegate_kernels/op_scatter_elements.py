"""ScatterElements: a copy with single elements replaced along one axis."""

from __future__ import annotations

import numpy as np

from ._dtypes import ALL_DTYPES, check_same_dtype
from ._indexing import check_indices, within, wrap_indices
from ._kernel import UNKNOWN, Array, ArraySpec, ReferenceKernel
from ._movement import merge_shapes
from ._shapes import normalize_axis


def scatter_elements(x: Array, indices: Array, updates: Array, *, axis: int = 0) -> Array:
    """``out[i, indices[i, j, k], k] = updates[i, j, k]``, here with ``axis`` 1; the rest of ``out`` is ``x``.

    Args:
        x: any rank >= 1, any dtype.
        indices: integers of the rank of ``x``, no longer than ``x`` on the other axes; negative ones count from
            the end of the axis.
        updates: the dtype of ``x``, the shape of ``indices``.
        axis: negative counts from the end.

    Raises:
        KernelInputError: an index is out of range.

    NOTE: of several updates of one element the last in row-major order wins; ONNX leaves it open.
    """
    a = normalize_axis(axis, x.ndim)
    places = wrap_indices(indices, x.shape[a])
    out = x.copy()
    np.put_along_axis(out[within(x.shape, indices.shape, a)], places, updates, axis=a)
    return out


def infer_scatter_elements(x: ArraySpec, indices: ArraySpec, updates: ArraySpec, *, axis: int) -> ArraySpec:
    """The spec of ``x``.

    Raises:
        KernelInputError: dtypes that differ, indices and updates whose shapes differ or leave ``x``.
    """
    check_same_dtype(x, updates)
    if indices.shape is not None and updates.shape is not None:
        merge_shapes([indices.shape, updates.shape])
    if x.shape is None:
        check_indices(indices, UNKNOWN)
        return ArraySpec(x.dtype, None)
    a = normalize_axis(axis, len(x.shape))
    check_indices(indices, x.shape[a])
    if indices.shape is not None:
        within(x.shape, indices.shape, a)
    return ArraySpec(x.dtype, x.shape)


KERNEL = ReferenceKernel("ScatterElements", scatter_elements, infer_scatter_elements, ALL_DTYPES)
