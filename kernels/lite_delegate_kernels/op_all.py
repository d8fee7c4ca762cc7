"""All: the logical and over some axes."""

from __future__ import annotations

import numpy as np

from ._dtypes import check_dtype
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._movement import vector_length
from ._reduction import reduced_axes, reduced_shape


def all_(x: Array, axes: Array | None = None, *, keep_dims: int = 0) -> Array:
    """True where all elements of ``x`` along ``axes`` are True; so they are where there are none.

    NOTE: an empty list of axes reduces nothing, as in TensorFlow; in ReduceFusion it means all axes.

    Args:
        x: any shape, bool.
        axes: integers, 1-D or a scalar, negative ones count from the end; None means all axes.
        keep_dims: whether reduced dims stay as 1, yes where it is not 0.

    Returns:
        The shape that is left, bool; may be ``x`` itself.

    Raises:
        KernelInputError: an axis is out of range or named twice.
    """
    if axes is not None and axes.size == 0:
        return x
    return np.asarray(np.all(x, axis=reduced_axes(axes, x.ndim), keepdims=bool(keep_dims)))


def infer_all(x: ArraySpec, axes: ArraySpec | None = None, *, keep_dims: int) -> ArraySpec:
    """The shape that is left, unknown where ``axes`` is; raises KernelInputError for other than bool and wrong axes."""
    check_dtype(x, ("bool",))
    if axes is not None and vector_length(axes) == 0:
        return ArraySpec(x.dtype, x.shape)
    return ArraySpec(x.dtype, reduced_shape(x.shape, axes, bool(keep_dims)))


KERNEL = ReferenceKernel("All", all_, infer_all, ("bool",))
