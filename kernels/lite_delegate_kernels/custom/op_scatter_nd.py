"""ScatterND: slices of a copy replaced, or combined with updates."""

from __future__ import annotations

import numpy as np

from .._dtypes import ALL_DTYPES, check_dtype, check_same_dtype
from .._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from ._scatter import REDUCTIONS, check_reduction


@np.errstate(all="ignore")
def scatter_nd(data: Array, indices: Array, updates: Array, *, reduction: str = "none") -> Array:
    """``data`` where the slice at each index is updated.

    Args:
        data: any shape of rank >= 1.
        indices: (..., K): the first K indices of each slice; negative ones count from the end.
        updates: (..., the other dimensions of ``data``).
        reduction: none, add, mul, max or min of what is there and the update.

    Raises:
        KernelInputError: shapes do not fit, or an index is out of range.
    """
    depth = indices.shape[-1]
    sizes = np.array(data.shape[:depth], np.int64)
    if updates.shape != (*indices.shape[:-1], *data.shape[depth:]):
        raise KernelInputError(f"data {data.shape}, indices {indices.shape}, updates {updates.shape} do not fit")
    if not ((indices >= -sizes) & (indices < sizes)).all():
        raise KernelInputError(f"indices lie outside of {data.shape[:depth]}")
    places = np.where(indices < 0, indices + sizes, indices)
    y = data.copy()
    REDUCTIONS[reduction](y, tuple(np.moveaxis(places, -1, 0)), updates)
    return y


def infer_scatter_nd(data: ArraySpec, indices: ArraySpec, updates: ArraySpec, *, reduction: str) -> ArraySpec:
    """The spec of ``data``; raises KernelInputError for types or attributes that do not fit."""
    check_dtype(data, ALL_DTYPES)
    check_dtype(indices, ("int64",), "indices")
    check_same_dtype(data, updates)
    check_reduction(reduction)
    return ArraySpec(data.dtype, data.shape)


KERNEL = ReferenceKernel("ai.onnx.ScatterND", scatter_nd, infer_scatter_nd, ALL_DTYPES)
