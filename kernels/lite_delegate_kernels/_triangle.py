"""Shared by Tril and Triu."""

from __future__ import annotations

from ._dtypes import ALL_DTYPES, check_dtype
from ._kernel import Array, ArraySpec, KernelInputError
from ._movement import constant_ints, int_list, single_int


def diagonal(k: Array | None) -> int:
    """The diagonal that the optional second input names, 0 where it is absent.

    Raises:
        KernelInputError: not one integer.
    """
    return 0 if k is None else single_int(int_list(k, "k"), "k")


def infer_triangle(x: ArraySpec, k: ArraySpec | None) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for a rank below 2, or a constant ``k`` that is not one integer."""
    check_dtype(x, ALL_DTYPES)
    values = None if k is None else constant_ints(k, "k")
    if values is not None:
        single_int(values, "k")
    if x.rank is not None and x.rank < 2:
        raise KernelInputError(f"input must have at least two dimensions, got shape {x.shape}")
    return ArraySpec(x.dtype, x.shape)
