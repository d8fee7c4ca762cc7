"""CumProd: the products of all elements up to each one along an axis."""

from __future__ import annotations

import numpy as np

from .._dtypes import NUMBERS, check_dtype, widen
from .._kernel import Array, ArraySpec, ReferenceKernel
from ._shared import axis_of, one_integer


@np.errstate(all="ignore")
def cum_prod(x: Array, axis: Array, *, exclusive: int = 0, reverse: int = 0) -> Array:
    """Running products of ``x`` along ``axis``: from the end if ``reverse``, without the element if ``exclusive``."""
    place = axis_of(one_integer(axis, "axis"), x.ndim)
    y = np.flip(widen(x), place) if reverse else widen(x)
    if exclusive:
        first = [slice(None)] * x.ndim
        first[place] = slice(0, -1)
        ones = np.ones([1 if i == place else d for i, d in enumerate(x.shape)], y.dtype)
        y = np.concatenate([ones, y[tuple(first)]], axis=place)
    y = np.cumprod(y, axis=place, dtype=y.dtype)
    return np.ascontiguousarray(np.flip(y, place) if reverse else y).astype(x.dtype)


def infer_cum_prod(x: ArraySpec, axis: ArraySpec) -> ArraySpec:
    """The spec of ``x``."""
    check_dtype(x, NUMBERS)
    return ArraySpec(x.dtype, x.shape)


KERNEL = ReferenceKernel("ai.onnx.CumProd", cum_prod, infer_cum_prod, NUMBERS)
