"""Squeeze: drops dimensions of size 1."""

from __future__ import annotations

from collections.abc import Sequence

from ._dtypes import ALL_DTYPES
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel, Shape
from ._movement import constant_ints, int_list, vector_length
from ._shapes import normalize_axes


def squeeze(x: Array, axes: Array | None = None, *, axis: Sequence[int] | None = None) -> Array:
    """``x`` without the named dimensions, or without all of size 1 when none is named.

    Args:
        x: any rank, any dtype.
        axes: integers; replaces the attribute when given.
        axis: the dimensions to drop, negative counts from the end; None or empty: all of size 1.

    Raises:
        KernelInputError: a named dimension is not 1, out of range, or named twice.

    NOTE: MindSpore Lite drops every named dimension only when they are listed in ascending order; here the order
    does not matter.
    """
    named = axis or () if axes is None else int_list(axes, "axes")
    return x.reshape(_without(x.shape, named))


def infer_squeeze(x: ArraySpec, axes: ArraySpec | None = None, *, axis: Sequence[int] | None) -> ArraySpec:
    """The remaining dimensions; no rank where it depends on an unknown dimension or on unknown axes."""
    named: Sequence[int] | None = axis or () if axes is None else constant_ints(axes, "axes")
    if x.shape is None:
        return ArraySpec(x.dtype, None)
    if named is None:
        count = None if axes is None else vector_length(axes)
        return ArraySpec(x.dtype, _without_unknown(len(x.shape), count))
    if not named and UNKNOWN in x.shape:
        return ArraySpec(x.dtype, None)
    return ArraySpec(x.dtype, _without(x.shape, named))


def _without(shape: Shape, named: Sequence[int]) -> Shape:
    if not named:
        return tuple(d for d in shape if d != 1)
    drop = normalize_axes(named, len(shape))
    for a in drop:
        if shape[a] not in (1, UNKNOWN):
            raise KernelInputError(f"dimension {a} of shape {shape} is not 1 and cannot be squeezed")
    return tuple(d for i, d in enumerate(shape) if i not in drop)


def _without_unknown(rank: int, count: int | None) -> Shape | None:
    if not count:
        return None
    if count > rank:
        raise KernelInputError(f"{count} axes are too many for rank {rank}")
    return (UNKNOWN,) * (rank - count)


KERNEL = ReferenceKernel("Squeeze", squeeze, infer_squeeze, ALL_DTYPES)
