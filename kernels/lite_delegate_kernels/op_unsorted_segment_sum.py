"""UnsortedSegmentSum: sums of the slices that share a segment id."""

from __future__ import annotations

import math

import numpy as np

from ._dtypes import INTS, NUMBERS, check_dtype, widen
from ._indexing import add_rows, as_rows, out_of_range
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel, Shape
from ._movement import constant_ints, int_list, merge_shapes, single_int


@np.errstate(over="ignore", invalid="ignore")
def unsorted_segment_sum(x: Array, segment_ids: Array, num_segments: Array) -> Array:
    """``out[s]`` is the sum of all slices of ``x`` whose segment id is s, 0 where there is none.

    Args:
        x: float or integer; integers wrap around, float16 is summed in float32.
        segment_ids: integers, their shape is the first dimensions of ``x``; a slice with a negative id is left out.
        num_segments: one integer >= 0.

    Returns:
        ``(num_segments, ...)`` with the dimensions of ``x`` that ``segment_ids`` does not have.

    Raises:
        KernelInputError: an id is ``num_segments`` or more.
    """
    count = _segments(int_list(num_segments, "num_segments"))
    ids = segment_ids.ravel()
    _check_ids(ids, count)
    rest = x.shape[segment_ids.ndim :]
    wide = widen(x)
    out = np.zeros((count, math.prod(rest)), dtype=wide.dtype)
    kept = ids >= 0
    add_rows(out, ids[kept].astype(np.intp), as_rows(wide, segment_ids.ndim)[kept])
    return out.reshape(count, *rest).astype(x.dtype, copy=False)


def infer_unsorted_segment_sum(x: ArraySpec, segment_ids: ArraySpec, num_segments: ArraySpec) -> ArraySpec:
    """The segments, then the dimensions of ``x`` that ``segment_ids`` does not have."""
    check_dtype(x, NUMBERS)
    check_dtype(segment_ids, INTS, "segment_ids")
    values = constant_ints(num_segments, "num_segments")
    count = UNKNOWN if values is None else _segments(values)
    if segment_ids.value is not None and count != UNKNOWN:
        _check_ids(segment_ids.value.ravel(), count)
    if x.shape is None or segment_ids.shape is None:
        return ArraySpec(x.dtype, None)
    rest = _rest(x.shape, segment_ids.shape)
    return ArraySpec(x.dtype, (count, *rest))


def _rest(shape: Shape, ids_shape: Shape) -> Shape:
    if len(ids_shape) > len(shape):
        raise KernelInputError(f"segment_ids of shape {ids_shape} have more dimensions than the input, shape {shape}")
    merge_shapes([shape[: len(ids_shape)], ids_shape])
    return shape[len(ids_shape) :]


def _segments(values: list[int]) -> int:
    count = single_int(values, "num_segments")
    if count < 0:
        raise KernelInputError(f"num_segments must not be negative, got {count}")
    return count


def _check_ids(ids: Array, count: int) -> None:
    wrong = out_of_range(ids[ids >= 0], count)
    if wrong.size:
        raise KernelInputError(f"segment id {wrong[0]} is out of range for {count} segments")


KERNEL = ReferenceKernel("UnsortedSegmentSum", unsorted_segment_sum, infer_unsorted_segment_sum, NUMBERS)
