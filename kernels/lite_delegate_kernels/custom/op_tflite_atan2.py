"""ATAN2: the angle of every pair of coordinates."""

from __future__ import annotations

import numpy as np

from .._dtypes import check_dtype, check_same_dtype
from .._kernel import Array, ArraySpec, ReferenceKernel
from ._pairs import broadcast_shape

_DTYPES = ("float32", "float64")


def atan2(y: Array, x: Array) -> Array:
    """The angle in radians, -pi to pi, of the point (``x``, ``y``); shapes broadcast."""
    return np.asarray(np.arctan2(y, x), y.dtype)


def infer_atan2(y: ArraySpec, x: ArraySpec) -> ArraySpec:
    """The shape that both broadcast to; raises KernelInputError where they do not."""
    check_dtype(y, _DTYPES)
    check_same_dtype(y, x)
    return ArraySpec(y.dtype, broadcast_shape(y.shape, x.shape))


KERNEL = ReferenceKernel("tflite.ATAN2", atan2, infer_atan2, _DTYPES)
