"""GLU: one half of an axis, gated by the other."""

from __future__ import annotations

import numpy as np

from ._activations import sigmoid
from ._dtypes import FLOATS, check_dtype
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._movement import along
from ._shapes import normalize_axis
from ._unary import elementwise


@np.errstate(all="ignore")
def glu(x: Array, *, axis: int = -1) -> Array:
    """``a * sigmoid(b)``, where ``a`` and ``b`` are the first and the second half of ``x`` along ``axis``.

    Args:
        x: any rank >= 1, float; an even number of elements along ``axis``.
        axis: negative counts from the end.

    Returns:
        The shape of ``x`` with ``axis`` halved, the dtype of ``x``. float16 is computed in float32.

    Raises:
        KernelInputError: ``axis`` is out of range, or has an odd size.
    """
    a = normalize_axis(axis, x.ndim)
    half = _half(x.shape[a])

    def gated(v: Array) -> Array:
        gate = sigmoid(v[along(a, slice(half, None))])
        gate *= v[along(a, slice(half))]
        return gate

    return elementwise(gated, x)


def infer_glu(x: ArraySpec, *, axis: int = -1) -> ArraySpec:
    """The shape of ``x`` with ``axis`` halved; raises KernelInputError as ``glu`` and for other dtypes than floats."""
    check_dtype(x, FLOATS)
    if x.shape is None:
        return ArraySpec(x.dtype, None)
    a = normalize_axis(axis, len(x.shape))
    return ArraySpec(x.dtype, (*x.shape[:a], _half(x.shape[a]), *x.shape[a + 1 :]))


def _half(dim: int) -> int:
    if dim == UNKNOWN:
        return UNKNOWN
    if dim % 2:
        raise KernelInputError(f"axis must have an even size to be halved, got {dim}")
    return dim // 2


KERNEL = ReferenceKernel("GLU", glu, infer_glu, FLOATS)
