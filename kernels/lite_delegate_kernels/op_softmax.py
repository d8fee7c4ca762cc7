"""Softmax: exponentials along one axis, divided by their sum."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ._dtypes import FLOATS, check_dtype, widen
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from ._shapes import normalize_axis


@np.errstate(all="ignore")
def softmax(x: Array, *, axis: Sequence[int] | None = None) -> Array:
    """``exp(x - max) / sum(exp(x - max))`` along ``axis``.

    Args:
        x: any rank >= 1, float.
        axis: exactly one axis, negative counts from the end.

    Returns:
        The shape and dtype of ``x``. float16 is computed in float32.

    Raises:
        KernelInputError: ``axis`` does not hold exactly one value, or is out of range.
    """
    a = single_axis(axis, x.ndim)
    wide = widen(x)
    e: Array = np.exp(wide - wide.max(axis=a, keepdims=True, initial=-np.inf))
    return np.asarray(e / e.sum(axis=a, keepdims=True)).astype(x.dtype, copy=False)


def infer_softmax(x: ArraySpec, *, axis: Sequence[int] | None) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for other than one axis, or one that is out of range."""
    check_dtype(x, FLOATS)
    if x.rank is not None:
        single_axis(axis, x.rank)
    return ArraySpec(x.dtype, x.shape)


def single_axis(axis: Sequence[int] | None, rank: int) -> int:
    """The one axis, counted from the start; raises KernelInputError for other than one, or one out of range."""
    if axis is None or len(axis) != 1:
        raise KernelInputError(f"axis must hold exactly one value, got {None if axis is None else list(axis)}")
    return normalize_axis(axis[0], rank)


KERNEL = ReferenceKernel("Softmax", softmax, infer_softmax, FLOATS)
