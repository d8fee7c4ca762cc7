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
    half = half_of(x.shape[a])

    first, second = along(a, slice(half)), along(a, slice(half, None))
    return elementwise(lambda v: v[first] * sigmoid(v[second]), x)


def infer_glu(x: ArraySpec, *, axis: int) -> ArraySpec:
    """The shape of ``x`` with ``axis`` halved; raises KernelInputError as ``glu`` and for other dtypes than floats."""
    check_dtype(x, FLOATS)
    if x.shape is None:
        return ArraySpec(x.dtype, None)
    a = normalize_axis(axis, len(x.shape))
    return ArraySpec(x.dtype, (*x.shape[:a], half_of(x.shape[a]), *x.shape[a + 1 :]))


def half_of(dim: int) -> int:
    """Half of a dim; raises KernelInputError for an odd one."""
    if dim == UNKNOWN:
        return UNKNOWN
    if dim % 2:
        raise KernelInputError(f"axis must have an even size to be halved, got {dim}")
    return dim // 2


KERNEL = ReferenceKernel("GLU", glu, infer_glu, FLOATS)
