"""Concat: the inputs one after another along an axis."""

from __future__ import annotations

import numpy as np

from ._dtypes import ALL_DTYPES, check_same_dtype
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._movement import merge_shapes
from ._shapes import normalize_axis


def concat(*xs: Array, axis: int = 0) -> Array:
    """The inputs joined along ``axis``.

    Args:
        xs: one or more arrays of one dtype and one rank >= 1 that differ in dimension ``axis`` only.
        axis: negative counts from the end.
    """
    return np.concatenate(xs, axis=axis) if len(xs) > 1 else xs[0]


def infer_concat(*xs: ArraySpec, axis: int) -> ArraySpec:
    """The common dimensions, with the sum in place of dimension ``axis``.

    Raises:
        KernelInputError: no input, dtypes, ranks or other dimensions differ, or ``axis`` is out of range.
    """
    if not xs:
        raise KernelInputError("at least one input is needed, got none")
    check_same_dtype(*xs)
    shapes = [x.shape for x in xs if x.shape is not None]
    if not shapes:
        return ArraySpec(xs[0].dtype, None)
    a = normalize_axis(axis, len(shapes[0]))
    merged = merge_shapes(shapes, free_axis=a)
    lengths = [s[a] for s in shapes]
    joined = UNKNOWN if UNKNOWN in lengths or len(shapes) < len(xs) else sum(lengths)
    return ArraySpec(xs[0].dtype, (*merged[:a], joined, *merged[a + 1 :]))


KERNEL = ReferenceKernel("Concat", concat, infer_concat, ALL_DTYPES)
