"""FillV2: a shape, which comes first, filled with one value."""

from __future__ import annotations

from ._dtypes import INTS
from ._filling import filled, infer_filled
from ._kernel import Array, ArraySpec, ReferenceKernel


def fill_v2(shape: Array, value: Array) -> Array:
    """An array of ``shape`` whose every element is ``value``: Fill with its inputs the other way round.

    Args:
        shape: integers >= 0, the output dimensions; none gives a scalar.
        value: one element of any dtype.

    Raises:
        KernelInputError: a negative dimension.
    """
    return filled(value, shape)


def infer_fill_v2(shape: ArraySpec, value: ArraySpec) -> ArraySpec:
    """The dimensions that ``shape`` holds, the rank alone where it is not constant."""
    return infer_filled(value, shape)


KERNEL = ReferenceKernel("FillV2", fill_v2, infer_fill_v2, INTS)
