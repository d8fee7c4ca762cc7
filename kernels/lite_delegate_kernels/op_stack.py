"""Stack: the inputs side by side along a new axis."""

from __future__ import annotations

import numpy as np

from ._dtypes import ALL_DTYPES, check_same_dtype
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from ._movement import merge_shapes, normalize_new_axis


def stack(*xs: Array, axis: int = 0) -> Array:
    """The inputs joined along a new dimension at position ``axis`` of the output.

    Args:
        xs: one or more arrays of one dtype and one shape, any rank.
        axis: negative counts from the output's end.
    """
    return np.stack(xs, axis=axis)


def infer_stack(*xs: ArraySpec, axis: int) -> ArraySpec:
    """The inputs' common dimensions and, at ``axis``, how many inputs there are.

    Raises:
        KernelInputError: no input, dtypes or shapes differ, or ``axis`` is out of range.
    """
    if not xs:
        raise KernelInputError("at least one input is needed, got none")
    check_same_dtype(*xs)
    shapes = [x.shape for x in xs if x.shape is not None]
    if not shapes:
        return ArraySpec(xs[0].dtype, None)
    merged = merge_shapes(shapes)
    place = normalize_new_axis(axis, len(merged))
    return ArraySpec(xs[0].dtype, (*merged[:place], len(xs), *merged[place:]))


KERNEL = ReferenceKernel("Stack", stack, infer_stack, ALL_DTYPES)
