"""Shared by operators of one array, element by element: float16 and inference."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ._dtypes import check_dtype, widen
from ._kernel import Array, ArraySpec


def elementwise(function: Callable[[Array], Array], x: Array) -> Array:
    """``function`` of every element, in the dtype of ``x``; float16 is computed in float32 and rounded once."""
    return np.asarray(function(widen(x)), dtype=x.dtype)


def infer_unary(x: ArraySpec, dtypes: Sequence[str]) -> ArraySpec:
    """The spec of ``x`` without its value; raises KernelInputError unless its dtype is one of ``dtypes``."""
    check_dtype(x, dtypes)
    return ArraySpec(x.dtype, x.shape)
