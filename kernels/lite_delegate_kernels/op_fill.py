"""Fill: a shape filled with one value, which comes first."""

from __future__ import annotations

from ._dtypes import ALL_DTYPES
from ._filling import filled, infer_filled
from ._kernel import Array, ArraySpec, ReferenceKernel


def fill(value: Array, shape: Array) -> Array:
    """An array of ``shape`` whose every element is ``value``.

    Args:
        value: one element of any dtype.
        shape: integers >= 0, the output dimensions; none gives a scalar.

    Raises:
        KernelInputError: a negative dimension.
    """
    return filled(value, shape)


def infer_fill(value: ArraySpec, shape: ArraySpec) -> ArraySpec:
    """The dimensions that ``shape`` holds, the rank alone where it is not constant."""
    return infer_filled(value, shape)


KERNEL = ReferenceKernel("Fill", fill, infer_fill, ALL_DTYPES)
