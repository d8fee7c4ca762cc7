"""NonZero: where an array is not zero."""

from __future__ import annotations

import numpy as np

from ._dtypes import ALL_DTYPES
from ._kernel import UNKNOWN, Array, ArraySpec, ReferenceKernel


def non_zero(x: Array) -> Array:
    """The coordinates of all elements that are not 0 (NaN is not), in row-major order.

    Args:
        x: any rank, any dtype.

    Returns:
        int32 (rank, count): a row per dimension, a column per element, as ONNX orients it; (0, count) for a scalar.

    NOTE: int32 as MindSpore Lite writes it, where ONNX has int64; MindSpore's own NonZero is the transpose.
    """
    return np.ascontiguousarray(np.argwhere(x).T, dtype=np.int32)


def infer_non_zero(x: ArraySpec) -> ArraySpec:
    """(rank, ``UNKNOWN``): the count depends on the data."""
    return ArraySpec(np.dtype(np.int32), (UNKNOWN if x.rank is None else x.rank, UNKNOWN))


KERNEL = ReferenceKernel("NonZero", non_zero, infer_non_zero, ALL_DTYPES)
