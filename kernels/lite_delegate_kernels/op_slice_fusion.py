"""SliceFusion: a box cut out of an array, given by where it begins and how large it is."""

from __future__ import annotations

from collections.abc import Sequence

from ._dtypes import ALL_DTYPES
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._movement import constant_ints, int_list, unknown_shape
from ._shapes import normalize_axes


def slice_fusion(x: Array, begin: Array, size: Array, *, axes: Sequence[int] | None = None) -> Array:
    """``x[begin : begin + size]`` in every dimension.

    Args:
        x: any rank, any dtype.
        begin: integers >= 0, one per dimension.
        size: integers, one per dimension; -1 means to the end.
        axes: the dimension that each ``begin`` and ``size`` speaks of, negative counts from the end; None or
            empty: the dimensions in order.

    Returns:
        A view of ``x``.

    Raises:
        KernelInputError: the box is not inside ``x``, or there is not one value per dimension.
    """
    begins = _per_dimension(int_list(begin, "begin"), axes, x.ndim, "begin")
    sizes = _per_dimension(int_list(size, "size"), axes, x.ndim, "size")
    lengths = [_length(d, b, s) for d, b, s in zip(x.shape, begins, sizes, strict=True)]
    box = tuple(slice(b, b + n) for b, n in zip(begins, lengths, strict=True))
    return x[box] if box else x


def infer_slice_fusion(x: ArraySpec, begin: ArraySpec, size: ArraySpec, *, axes: Sequence[int] | None) -> ArraySpec:
    """The size of the box, ``UNKNOWN`` where it depends on something that is not constant."""
    begins, sizes = constant_ints(begin, "begin"), constant_ints(size, "size")
    if x.shape is None:
        return ArraySpec(x.dtype, None)
    rank = len(x.shape)
    ordered_begins = None if begins is None else _per_dimension(begins, axes, rank, "begin")
    ordered_sizes = None if sizes is None else _per_dimension(sizes, axes, rank, "size")
    if ordered_sizes is None:
        return ArraySpec(x.dtype, unknown_shape(rank))
    if ordered_begins is None:
        pairs = zip(x.shape, ordered_sizes, strict=True)
        return ArraySpec(x.dtype, tuple(UNKNOWN if s == -1 else _length(d, 0, s) for d, s in pairs))
    triples = zip(x.shape, ordered_begins, ordered_sizes, strict=True)
    return ArraySpec(x.dtype, tuple(_length(d, b, s) for d, b, s in triples))


def _per_dimension(values: Sequence[int], axes: Sequence[int] | None, rank: int, name: str) -> list[int]:
    if len(values) != rank or (axes and len(axes) != rank):
        named = f" on axes {list(axes)}" if axes else ""
        raise KernelInputError(f"{name} must hold one value for each of {rank} dimensions, got {list(values)}{named}")
    ordered = dict(zip(normalize_axes(axes or range(rank), rank), values, strict=True))
    return [ordered[i] for i in range(rank)]


def _length(dim: int, begin: int, size: int) -> int:
    if begin < 0 or size < -1:
        raise KernelInputError(f"begin must not be negative and size not below -1, got {begin} and {size}")
    if dim == UNKNOWN:
        return UNKNOWN if size == -1 else size
    if begin + max(size, 0) > dim:
        raise KernelInputError(f"begin {begin} with size {size} leaves a dimension of {dim}")
    return dim - begin if size == -1 else size


KERNEL = ReferenceKernel("SliceFusion", slice_fusion, infer_slice_fusion, ALL_DTYPES)
