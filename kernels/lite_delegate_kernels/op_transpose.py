"""Transpose: the dimensions in another order."""

from __future__ import annotations

from collections.abc import Sequence

from ._dtypes import ALL_DTYPES
from ._kernel import Array, ArraySpec, ReferenceKernel, Shape
from ._movement import constant_ints, int_list, unknown_shape
from ._shapes import normalize_axes


def transpose(x: Array, perm: Array) -> Array:
    """``x`` with output dimension ``i`` taken from dimension ``perm[i]``.

    Args:
        x: any rank, any dtype.
        perm: integers, each dimension of ``x`` once, negative counts from the end. Empty: reversed order.

    Returns:
        A view of ``x``.

    Raises:
        KernelInputError: a dimension is out of range or named twice.

    NOTE: like MindSpore Lite, four values on a rank-3 ``x`` mean (0, 2, 1), and any other number of values than
    the rank leaves ``x`` as it is.
    """
    return x.transpose(_order(int_list(perm, "perm"), x.ndim))


def infer_transpose(x: ArraySpec, perm: ArraySpec) -> ArraySpec:
    """The permuted dimensions; the rank alone where ``perm`` is not constant."""
    values = constant_ints(perm, "perm")
    if x.shape is None or values is None:
        return ArraySpec(x.dtype, unknown_shape(x.rank))
    shape: Shape = x.shape
    return ArraySpec(x.dtype, tuple(shape[a] for a in _order(values, len(shape))))


def _order(perm: Sequence[int], rank: int) -> tuple[int, ...]:
    if not perm:
        return tuple(reversed(range(rank)))
    if len(perm) == rank:
        return normalize_axes(perm, rank)
    return (0, 2, 1) if rank == 3 and len(perm) == 4 else tuple(range(rank))


KERNEL = ReferenceKernel("Transpose", transpose, infer_transpose, ALL_DTYPES)
