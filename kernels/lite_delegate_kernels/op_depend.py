"""Depend: its first input, once the others are there."""

from __future__ import annotations

from ._dtypes import ALL_DTYPES, check_dtype
from ._kernel import Array, ArraySpec, ReferenceKernel


def depend(x: Array, *others: Array) -> Array:
    """``x`` itself, any shape and dtype. ``others`` are only waited for."""
    return x


def infer_depend(x: ArraySpec, *others: ArraySpec) -> ArraySpec:
    """The spec of ``x``, its value included; raises KernelInputError for a dtype that the kernel does not take."""
    check_dtype(x, ALL_DTYPES)
    return x


KERNEL = ReferenceKernel("Depend", depend, infer_depend, ALL_DTYPES)
