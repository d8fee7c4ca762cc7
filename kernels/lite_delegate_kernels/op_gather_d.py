"""GatherD: single elements along one axis, each picked by its own index."""

from __future__ import annotations

import numpy as np

from ._dtypes import ALL_DTYPES
from ._indexing import check_indices, within, wrap_indices
from ._kernel import UNKNOWN, Array, ArraySpec, ReferenceKernel
from ._movement import constant_ints, int_list, single_int
from ._shapes import normalize_axis


def gather_d(x: Array, dim: Array, index: Array) -> Array:
    """``out[i, j, k] = x[i, index[i, j, k], k]``, here with ``dim`` 1.

    Args:
        x: any rank >= 1, any dtype.
        dim: one integer, the axis; negative counts from the end.
        index: integers of the rank of ``x``, no longer than ``x`` on the other axes; negative ones count from the
            end of the axis.

    Returns:
        The shape of ``index``.

    Raises:
        KernelInputError: an index or ``dim`` is out of range.
    """
    axis = normalize_axis(single_int(int_list(dim, "dim"), "dim"), x.ndim)
    places = wrap_indices(index, x.shape[axis])
    return np.take_along_axis(x[within(x.shape, index.shape, axis)], places, axis=axis)


def infer_gather_d(x: ArraySpec, dim: ArraySpec, index: ArraySpec) -> ArraySpec:
    """The shape of ``index``."""
    values = constant_ints(dim, "dim")
    if x.shape is None or values is None:
        check_indices(index, UNKNOWN)
        return ArraySpec(x.dtype, index.shape)
    axis = normalize_axis(single_int(values, "dim"), len(x.shape))
    check_indices(index, x.shape[axis])
    if index.shape is not None:
        within(x.shape, index.shape, axis)
    return ArraySpec(x.dtype, index.shape)


KERNEL = ReferenceKernel("GatherD", gather_d, infer_gather_d, ALL_DTYPES)
