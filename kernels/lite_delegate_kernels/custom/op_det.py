"""Det: the determinant of every matrix."""

from __future__ import annotations

import numpy as np

from .._dtypes import FLOATS, check_dtype
from .._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._shared import check_rank


def det(x: Array) -> Array:
    """The determinants of the square matrices (..., M, M), shape (...), computed in float64 and rounded once."""
    return np.asarray(np.linalg.det(x.astype(np.float64)), x.dtype)


def infer_det(x: ArraySpec) -> ArraySpec:
    """The shape without its last two dimensions; raises KernelInputError unless these are equal."""
    check_dtype(x, FLOATS)
    check_rank(x, 2)
    if x.shape is None:
        return ArraySpec(x.dtype, None)
    rows, columns = x.shape[-2:]
    if UNKNOWN not in (rows, columns) and rows != columns:
        raise KernelInputError(f"matrices must be square, got shape {x.shape}")
    return ArraySpec(x.dtype, x.shape[:-2])


KERNEL = ReferenceKernel("ai.onnx.Det", det, infer_det, FLOATS)
