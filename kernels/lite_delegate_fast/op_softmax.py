"""Softmax: in one array of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._dtypes import widen
from lite_delegate_kernels.op_softmax import KERNEL as REFERENCE
from lite_delegate_kernels.op_softmax import single_axis

from .fast_kernel import fast_form


@np.errstate(all="ignore")
def softmax(x: Array, *, axis: Sequence[int] | None = None) -> Array:
    """As the reference kernel."""
    a = single_axis(axis, x.ndim)
    wide = widen(x)
    e: Array = np.subtract(wide, wide.max(axis=a, keepdims=True, initial=-np.inf))
    np.exp(e, out=e)
    e /= e.sum(axis=a, keepdims=True)
    return e.astype(x.dtype, copy=False)


KERNEL = fast_form(REFERENCE, softmax)
