"""Where: the places where a condition holds, or a choice between two arrays."""

from __future__ import annotations

import numpy as np

from ._dtypes import ALL_DTYPES, check_dtype, check_same_dtype
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._shapes import broadcast_shapes

_INT32 = np.dtype(np.int32)


def where(condition: Array, x: Array | None = None, y: Array | None = None) -> Array:
    """The coordinates of the true elements of ``condition``; with three inputs ``x`` where it is true, else ``y``.

    NOTE: coordinates are int32 in rows of one element each, as in MindSpore Lite (TensorFlow's are int64). With three
    inputs all shapes broadcast; MindSpore Lite stretches arrays of one element only.

    Args:
        condition: any shape, any dtype; a number is true when it is not 0.
        x: any dtype, a shape that broadcasts with the other two.
        y: the dtype of ``x``, a shape that broadcasts with the other two.

    Returns:
        Shape (number of true elements, rank of ``condition``), int32, in row-major order; or the broadcast shape, the
        dtype of ``x``.
    """
    if x is None or y is None:
        return np.argwhere(condition).astype(_INT32, copy=False)
    return np.where(condition, x, y)


def infer_where(condition: ArraySpec, x: ArraySpec | None = None, y: ArraySpec | None = None) -> ArraySpec:
    """The number of coordinates is known for a constant only; raises KernelInputError for one of ``x`` and ``y``.

    Raises:
        KernelInputError: also for dtypes that differ and shapes that do not broadcast.
    """
    check_dtype(condition, ALL_DTYPES)
    if (x is None) != (y is None):
        raise KernelInputError("1 or 3 inputs expected, got 2")
    if x is None or y is None:
        return ArraySpec(_INT32, _coordinates_shape(condition))
    check_dtype(x, ALL_DTYPES, "input 1")
    check_same_dtype(x, y)
    return ArraySpec(x.dtype, broadcast_shapes(condition.shape, x.shape, y.shape))


def _coordinates_shape(condition: ArraySpec) -> tuple[int, int]:
    count = UNKNOWN if condition.value is None else int(np.count_nonzero(condition.value))
    return (count, UNKNOWN if condition.shape is None else len(condition.shape))


KERNEL = ReferenceKernel("Where", where, infer_where, ALL_DTYPES)
