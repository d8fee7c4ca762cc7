"""Unstack: one output for every position of an axis."""

from __future__ import annotations

import numpy as np

from ._dtypes import ALL_DTYPES
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._shapes import normalize_axis


def unstack(x: Array, *, axis: int = 0, output_count: int | None = None) -> tuple[Array, ...]:
    """The slices of ``x`` along ``axis``, without that dimension.

    Args:
        x: any rank >= 1, any dtype.
        axis: negative counts from the end.
        output_count: how many outputs the node has, None when the caller does not know.

    Returns:
        As many views of ``x`` as dimension ``axis`` has positions.

    Raises:
        KernelInputError: ``axis`` is out of range, or the dimension is not ``output_count``.
    """
    a = normalize_axis(axis, x.ndim)
    _check_count(x.shape[a], output_count)
    first = np.moveaxis(x, a, 0)
    return tuple(first[i, ...] for i in range(x.shape[a]))


def infer_unstack(x: ArraySpec, *, axis: int, output_count: int | None) -> tuple[ArraySpec, ...]:
    """One spec per position; where the dimension is not known, one per output of the node.

    Raises:
        KernelInputError: as ``unstack``, or neither the dimension nor ``output_count`` is known.
    """
    if x.shape is None:
        return (ArraySpec(x.dtype, None),) * _check_count(UNKNOWN, output_count)
    a = normalize_axis(axis, len(x.shape))
    count = _check_count(x.shape[a], output_count)
    return (ArraySpec(x.dtype, (*x.shape[:a], *x.shape[a + 1 :])),) * count


def _check_count(dim: int, output_count: int | None) -> int:
    if output_count is None and dim == UNKNOWN:
        raise KernelInputError("the number of outputs is not known: neither the dimension nor output_count is given")
    if output_count is not None and dim not in (UNKNOWN, output_count):
        raise KernelInputError(f"a dimension of {dim} gives {dim} outputs, but the node has {output_count}")
    return dim if output_count is None else output_count


KERNEL = ReferenceKernel("Unstack", unstack, infer_unstack, ALL_DTYPES, needs_output_count=True)
