"""ScatterElements: single elements of a copy replaced, or combined with updates."""

from __future__ import annotations

import numpy as np

from .._dtypes import ALL_DTYPES, check_dtype, check_same_dtype
from .._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from ._scatter import REDUCTIONS, check_reduction
from ._shared import axis_of


@np.errstate(all="ignore")
def scatter_elements(data: Array, indices: Array, updates: Array, *, axis: int = 0, reduction: str = "none") -> Array:
    """``data`` where the element at the place of each update, ``indices`` in place of ``axis``, is updated.

    Args:
        data: any shape of rank >= 1.
        indices: the shape of ``updates``; negative ones count from the end.
        reduction: none, add, mul, max or min of what is there and the update.

    Raises:
        KernelInputError: shapes do not fit, or an index is out of range.
    """
    place = axis_of(axis, data.ndim)
    if indices.shape != updates.shape or indices.ndim != data.ndim:
        raise KernelInputError(f"data {data.shape}, indices {indices.shape}, updates {updates.shape} do not fit")
    size = data.shape[place]
    if indices.size and not (indices.min() >= -size and indices.max() < size):
        raise KernelInputError(f"indices must be {-size} to {size - 1}")
    where: list[Array] = list(np.indices(indices.shape))
    where[place] = indices % max(size, 1)
    y = data.copy()
    try:
        REDUCTIONS[reduction](y, tuple(where), updates)
    except IndexError as e:
        raise KernelInputError(f"updates of shape {updates.shape} reach outside of {data.shape}") from e
    return y


def infer_scatter_elements(data: ArraySpec, indices: ArraySpec, updates: ArraySpec, *, reduction: str) -> ArraySpec:
    """The spec of ``data``; raises KernelInputError for types or attributes that do not fit."""
    check_dtype(data, ALL_DTYPES)
    check_dtype(indices, ("int32", "int64"), "indices")
    check_same_dtype(data, updates)
    check_reduction(reduction)
    return ArraySpec(data.dtype, data.shape)


KERNEL = ReferenceKernel("ai.onnx.ScatterElements", scatter_elements, infer_scatter_elements, ALL_DTYPES)
