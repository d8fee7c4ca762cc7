"""LpNormalization: division by the sum of magnitudes, or by the Euclidean length, along one axis."""

from __future__ import annotations

import numpy as np

from ._dtypes import FLOATS, check_dtype, widen
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from ._shapes import normalize_axis


@np.errstate(all="ignore")
def lp_normalization(x: Array, *, axis: int = 0, p: int = 0) -> Array:
    """``x / sum(|x|)`` for p = 1, ``x / sqrt(sum(x * x))`` for p = 2, with the sum along ``axis``.

    Args:
        x: any rank >= 1, float.
        axis: negative counts from the end.
        p: 1 or 2.

    Returns:
        The shape and dtype of ``x``, float16 computed in float32; zero where the norm is zero.

    NOTE: the definition is ONNX's, where the operator comes from; MindSpore Lite has no CPU kernel for it.
    """
    wide = widen(x)
    sums = np.add.reduce(np.abs(wide) if p == 1 else np.square(wide), axis=normalize_axis(axis, x.ndim), keepdims=True)
    norm = sums if p == 1 else np.sqrt(sums)
    # Where the norm is 0 so is every element, and 0 / 1 is the 0 that is wanted.
    return np.asarray(wide / np.where(norm == 0, wide.dtype.type(1), norm)).astype(x.dtype, copy=False)


def infer_lp_normalization(x: ArraySpec, *, axis: int, p: int) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for a p other than 1 and 2, or an axis that is out of range."""
    check_dtype(x, FLOATS)
    if p not in (1, 2):
        raise KernelInputError(f"p must be 1 or 2, got {p}")
    if x.rank is not None:
        normalize_axis(axis, x.rank)
    return ArraySpec(x.dtype, x.shape)


KERNEL = ReferenceKernel("LpNormalization", lp_normalization, infer_lp_normalization, FLOATS)
