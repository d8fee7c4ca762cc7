"""Unsqueeze: inserts dimensions of size 1."""

from __future__ import annotations

from collections.abc import Sequence

from ._dtypes import ALL_DTYPES
from ._kernel import Array, ArraySpec, ReferenceKernel, Shape
from ._shapes import normalize_axes


def unsqueeze(x: Array, *, axis: Sequence[int] | None = None) -> Array:
    """``x`` with a dimension of size 1 at every named place of the output.

    Args:
        x: any rank, any dtype.
        axis: positions in the output's shape, in any order, negative counts from its end; None or empty makes
            shape (1,) of a scalar and leaves any other ``x`` alone.

    Raises:
        KernelInputError: a position is out of range or named twice.
    """
    return x.reshape(_with_ones(x.shape, axis or ()))


def infer_unsqueeze(x: ArraySpec, *, axis: Sequence[int] | None) -> ArraySpec:
    """The dimensions of ``x`` and the inserted ones."""
    return ArraySpec(x.dtype, None if x.shape is None else _with_ones(x.shape, axis or ()))


def _with_ones(shape: Shape, axis: Sequence[int]) -> Shape:
    if not axis:
        return shape or (1,)
    rank = len(shape) + len(axis)
    inserted = normalize_axes(axis, rank)
    kept = iter(shape)
    return tuple(1 if i in inserted else next(kept) for i in range(rank))


KERNEL = ReferenceKernel("Unsqueeze", unsqueeze, infer_unsqueeze, ALL_DTYPES)
