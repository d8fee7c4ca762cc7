"""Shared by operators that fill a shape with one value."""

from __future__ import annotations

import numpy as np

from ._dtypes import ALL_DTYPES, check_dtype
from ._kernel import Array, ArraySpec, KernelInputError, Shape
from ._movement import constant_sizes, size_list, unknown_shape, vector_length


def filled(value: Array, shape: Array) -> Array:
    """``shape`` filled with the one element of ``value``.

    Raises:
        KernelInputError: a negative dimension.
    """
    return np.full(size_list(shape, "shape"), value.reshape(()))


def infer_filled(value: ArraySpec, shape: ArraySpec) -> ArraySpec:
    """The dimensions that ``shape`` holds; raises KernelInputError unless ``value`` has one element."""
    check_dtype(value, ALL_DTYPES, "value")
    if vector_length(value) not in (None, 1):
        raise KernelInputError(f"value must hold one element, got shape {value.shape}")
    return ArraySpec(value.dtype, infer_sizes(shape))


def infer_sizes(shape: ArraySpec) -> Shape | None:
    """The dimensions that ``shape`` holds, the rank alone where it is not constant."""
    sizes = constant_sizes(shape, "shape")
    return unknown_shape(vector_length(shape)) if sizes is None else sizes
