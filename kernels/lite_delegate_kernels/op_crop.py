"""Crop: a box of the shape of another array cut out of the first."""

from __future__ import annotations

from collections.abc import Sequence

from ._dtypes import ALL_DTYPES
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel, Shape
from ._shapes import normalize_axis


def crop(x: Array, like: Array, *, axis: int = 0, offsets: Sequence[int] | None = None) -> Array:
    """The part of ``x`` that begins at ``offsets`` and has the shape of ``like``.

    Args:
        x: any rank >= 1, any dtype.
        like: the rank of ``x``, any dtype; only its shape counts.
        axis: the first axis that has an offset, negative counts from the end; axes before it begin at 0.
        offsets: integers >= 0, one for each axis from ``axis`` on, or one for all of them; None or empty is 0.

    Returns:
        A view of ``x``.

    Raises:
        KernelInputError: the box leaves ``x``, or the offsets do not fit.

    NOTE: the sizes before ``axis`` are those of ``like`` too, as in MindSpore Lite; Caffe keeps those of ``x``.
    """
    begins = _begins(x.ndim, axis, offsets)
    return x[tuple(slice(b, b + size) for b, size in zip(begins, like.shape, strict=True))]


def infer_crop(x: ArraySpec, like: ArraySpec, *, axis: int, offsets: Sequence[int] | None) -> ArraySpec:
    """The shape of ``like``."""
    rank = like.rank if x.rank is None else x.rank
    if rank is None:
        return ArraySpec(x.dtype, None)
    begins = _begins(rank, axis, offsets)
    if x.shape is None or like.shape is None:
        return ArraySpec(x.dtype, (UNKNOWN,) * rank if like.shape is None else like.shape)
    if len(like.shape) != rank:
        raise KernelInputError(f"inputs must have one rank, got shapes {x.shape}, {like.shape}")
    _check_inside(x.shape, begins, like.shape)
    return ArraySpec(x.dtype, like.shape)


def _begins(rank: int, axis: int, offsets: Sequence[int] | None) -> tuple[int, ...]:
    first = normalize_axis(axis, rank)
    given = tuple(offsets or (0,))
    cropped = rank - first
    if min(given) < 0 or len(given) not in (1, cropped):
        raise KernelInputError(f"offsets must be 1 or {cropped} values >= 0 for axis {axis}, got {list(given)}")
    return (0,) * first + (given * cropped if len(given) == 1 else given)


def _check_inside(shape: Shape, begins: Sequence[int], sizes: Shape) -> None:
    for dim, begin, size in zip(shape, begins, sizes, strict=True):
        if UNKNOWN not in (dim, size) and begin + size > dim:
            raise KernelInputError(f"offset {begin} with size {size} leaves a dimension of {dim}")


KERNEL = ReferenceKernel("Crop", crop, infer_crop, ALL_DTYPES)
