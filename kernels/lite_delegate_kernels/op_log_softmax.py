"""LogSoftmax: the logarithm of the softmax along one axis."""

from __future__ import annotations

import numpy as np

from ._dtypes import FLOATS, check_dtype, widen
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._shapes import normalize_axis


@np.errstate(all="ignore")
def log_softmax(x: Array, *, axis: int = 0) -> Array:
    """``x - max - log(sum(exp(x - max)))`` along ``axis``.

    Args:
        x: any rank >= 1, float.
        axis: negative counts from the end.

    Returns:
        The shape and dtype of ``x``. float16 is computed in float32.

    Raises:
        KernelInputError: ``axis`` is out of range.
    """
    a = normalize_axis(axis, x.ndim)
    wide = widen(x)
    y: Array = np.subtract(wide, wide.max(axis=a, keepdims=True, initial=-np.inf))
    y -= np.log(np.exp(y).sum(axis=a, keepdims=True))
    return y.astype(x.dtype, copy=False)


def infer_log_softmax(x: ArraySpec, *, axis: int) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for other dtypes than floats and an axis that is out of range."""
    check_dtype(x, FLOATS)
    if x.rank is not None:
        normalize_axis(axis, x.rank)
    return ArraySpec(x.dtype, x.shape)


KERNEL = ReferenceKernel("LogSoftmax", log_softmax, infer_log_softmax, FLOATS)
