"""BitCast: the bits of every element read as an element of another type of the same size."""

from __future__ import annotations

from .._dtypes import ALL_DTYPES, check_dtype
from .._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from .element_types import dtype_of_elem_type


def bit_cast(x: Array, *, to: int) -> Array:
    """``x`` read as the element type with ONNX's number ``to``; any shape."""
    return x.view(dtype_of_elem_type(to))


def infer_bit_cast(x: ArraySpec, *, to: int) -> ArraySpec:
    """The shape of ``x``; raises KernelInputError where the types differ in size."""
    check_dtype(x, ALL_DTYPES)
    dtype = dtype_of_elem_type(to)
    if dtype.itemsize != x.dtype.itemsize:
        raise KernelInputError(f"{x.dtype} and {dtype} differ in size")
    return ArraySpec(dtype, x.shape)


KERNEL = ReferenceKernel("ai.onnx.BitCast", bit_cast, infer_bit_cast, ALL_DTYPES)
