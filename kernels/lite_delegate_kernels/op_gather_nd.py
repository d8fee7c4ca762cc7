"""GatherNd: slices picked by coordinates of several leading dimensions."""

from __future__ import annotations

import math

import numpy as np

from ._dtypes import ALL_DTYPES
from ._indexing import coordinate_length, row_numbers
from ._kernel import UNKNOWN, Array, ArraySpec, ReferenceKernel


def gather_nd(x: Array, indices: Array) -> Array:
    """``x[i_0, ..., i_{K-1}]`` for every coordinate.

    Args:
        x: any rank, any dtype.
        indices: integers (..., K), K at most the rank of ``x``; negative ones count from the end.

    Returns:
        Shape ``indices.shape[:-1] + x.shape[K:]``.

    Raises:
        KernelInputError: an index is out of range.

    NOTE: TensorFlow rejects negative indices, ONNX counts them from the end; this follows ONNX.
    """
    length = indices.shape[-1]
    rows = row_numbers(indices, x.shape[:length])
    flat = x.reshape(math.prod(x.shape[:length]), *x.shape[length:])
    return np.asarray(np.take(flat, rows, axis=0))


def infer_gather_nd(x: ArraySpec, indices: ArraySpec) -> ArraySpec:
    """The coordinates' dimensions, then those of ``x`` that they do not address; None where K is not known."""
    length = coordinate_length(indices, x.shape)
    if x.shape is None or indices.shape is None or length == UNKNOWN:
        return ArraySpec(x.dtype, None)
    return ArraySpec(x.dtype, (*indices.shape[:-1], *x.shape[length:]))


KERNEL = ReferenceKernel("GatherNd", gather_nd, infer_gather_nd, ALL_DTYPES)
