"""RIGHT_SHIFT: integers moved down by a number of bits."""

from __future__ import annotations

import numpy as np

from .._dtypes import INTS, check_dtype, check_same_dtype
from .._kernel import Array, ArraySpec, ReferenceKernel
from ._pairs import broadcast_shape


def right_shift(a: Array, b: Array) -> Array:
    """``a`` moved down by as many bits as ``b`` says, 0 at least and all but one at most.

    Both are integers of one type whose shapes broadcast.
    """
    return np.asarray(np.right_shift(a, np.clip(b, 0, 8 * a.itemsize - 1)))


def infer_right_shift(a: ArraySpec, b: ArraySpec) -> ArraySpec:
    """The shape that both broadcast to; raises KernelInputError where they do not."""
    check_dtype(a, INTS)
    check_same_dtype(a, b)
    return ArraySpec(a.dtype, broadcast_shape(a.shape, b.shape))


KERNEL = ReferenceKernel("tflite.RIGHT_SHIFT", right_shift, infer_right_shift, INTS)
