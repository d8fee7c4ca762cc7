"""StridedSlice: every stride-th position between begin and end, with masks that open, add and drop dimensions."""

from __future__ import annotations

from collections.abc import Sequence

from ._dtypes import ALL_DTYPES
from ._kernel import Array, ArraySpec, ReferenceKernel, Shape
from ._movement import constant_ints, int_list, vector_length
from ._slicing import Entry, Masks, Piece, entries_of, slice_pieces, unknown_entries


def strided_slice(
    x: Array,
    begin: Array,
    end: Array,
    strides_or_axes: Array,
    strides: Array | None = None,
    *,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Array:
    """``x[begin:end:stride]`` in every dimension that is named.

    Two forms: (x, begin, end, strides) names the first dimensions in order and rejects what leaves ``x``;
    (x, begin, end, axes, strides) names the dimensions in ``axes`` (empty: the first ones) and clamps, as ONNX
    does. Dimensions that are not named are taken whole. Negative values of ``begin`` and ``end`` count from the
    end; ``-dim - 1`` is the place before the first element, where a negative stride may end.

    Args:
        x: any rank, any dtype.
        begin: integers, one per named dimension.
        end: as ``begin``.
        strides_or_axes: as ``begin``: the strides of the four-input form, the axes of the five-input form.
        strides: the strides of the five-input form.
        begin_mask: bit i set: ``begin[i]`` is 0.
        end_mask: bit i set: ``end[i]`` is the dimension.
        ellipsis_mask: bit i set (the lowest bit counts): both, for that one dimension.
        new_axis_mask: bit i set: position i of the output is a new dimension of 1; the entry is not read.
        shrink_axis_mask: bit i set: the single element at ``begin[i]``, and the dimension is dropped.

    Returns:
        A view of ``x``.

    Raises:
        KernelInputError: a stride of 0, a negative mask, more entries than dimensions, lengths that differ, or, in
            the four-input form, a value out of range.

    NOTE: like MindSpore Lite an opened dimension always runs from 0 to its end, so that it is empty with a
    negative stride, and an ellipsis does not stand for several dimensions. MindSpore Lite does not clamp a begin
    above the dimension in the five-input form; here it is clamped, as in ONNX.
    """
    masks = begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
    pieces = strided_pieces(x.shape, (begin, end, strides_or_axes, strides), masks)
    return x[(*(p.index for p in pieces), ...)]


def strided_pieces(
    shape: Shape, entries: tuple[Array, Array, Array, Array | None], masks: tuple[int, int, int, int, int]
) -> list[Piece]:
    """The part that is taken of each dimension of an array of ``shape``.

    Args:
        shape: of the array.
        entries: the operands behind it, as ``strided_slice`` takes them.
        masks: the attributes, in its order.

    Raises:
        KernelInputError: as ``strided_slice``.
    """
    begin, end, strides_or_axes, strides = entries
    axes = None if strides is None else int_list(strides_or_axes, "axes")
    steps = int_list(strides_or_axes if strides is None else strides, "strides")
    placed = entries_of(int_list(begin, "begin"), int_list(end, "end"), steps, axes, len(shape))
    return slice_pieces(shape, placed, Masks.checked(*masks), clamp=axes is not None)


def infer_strided_slice(
    x: ArraySpec,
    begin: ArraySpec,
    end: ArraySpec,
    strides_or_axes: ArraySpec,
    strides: ArraySpec | None = None,
    *,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> ArraySpec:
    """The length of every slice, ``UNKNOWN`` where it depends on something that is not constant."""
    masks = Masks.checked(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    inputs = [(begin, "begin"), (end, "end"), (strides_or_axes if strides is None else strides, "strides")]
    if strides is not None:
        inputs.append((strides_or_axes, "axes"))
    values = [constant_ints(spec, name) for spec, name in inputs]
    if x.shape is None:
        return ArraySpec(x.dtype, None)
    entries = _entries(values, vector_length(begin), len(x.shape))
    if entries is None:
        return ArraySpec(x.dtype, None)
    pieces = slice_pieces(x.shape, entries, masks, clamp=strides is not None)
    return ArraySpec(x.dtype, tuple(p.dim for p in pieces if p.dim is not None))


def _entries(values: Sequence[list[int] | None], count: int | None, rank: int) -> Sequence[Entry | None] | None:
    begin, end, strides = values[:3]
    has_axes = len(values) == 4
    axes = values[3] if has_axes else None
    if begin is None or end is None or strides is None or (has_axes and axes is None):
        return unknown_entries(count, axes, rank, has_axes=has_axes)
    return entries_of(begin, end, strides, axes, rank)


KERNEL = ReferenceKernel("StridedSlice", strided_slice, infer_strided_slice, ALL_DTYPES)
