"""ExpandDims: inserts one dimension of size 1."""

from __future__ import annotations

from ._dtypes import ALL_DTYPES
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._movement import constant_ints, int_list, normalize_new_axis, single_int, unknown_shape


def expand_dims(x: Array, axis: Array) -> Array:
    """``x`` with a dimension of size 1 at position ``axis`` of the output.

    Args:
        x: any rank, any dtype.
        axis: one integer, a scalar or a one-element vector; negative counts from the output's end.

    Raises:
        KernelInputError: ``axis`` is out of range or does not hold exactly one value.
    """
    place = normalize_new_axis(single_int(int_list(axis, "axis"), "axis"), x.ndim)
    return x.reshape((*x.shape[:place], 1, *x.shape[place:]))


def infer_expand_dims(x: ArraySpec, axis: ArraySpec) -> ArraySpec:
    """One more dimension than ``x``; the rank alone where ``axis`` is not constant."""
    values = constant_ints(axis, "axis")
    if x.shape is None:
        return ArraySpec(x.dtype, None)
    if values is None:
        return ArraySpec(x.dtype, unknown_shape(len(x.shape) + 1))
    place = normalize_new_axis(single_int(values, "axis"), len(x.shape))
    return ArraySpec(x.dtype, (*x.shape[:place], 1, *x.shape[place:]))


KERNEL = ReferenceKernel("ExpandDims", expand_dims, infer_expand_dims, ALL_DTYPES)
