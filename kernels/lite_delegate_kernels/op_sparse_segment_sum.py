"""SparseSegmentSum: sums of picked rows, consecutive ones that share a segment id."""

from __future__ import annotations

import numpy as np

from ._dtypes import INTS, NUMBERS, check_dtype, widen
from ._indexing import add_rows, as_rows, check_indices, wrap_indices
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._movement import merge_shapes


@np.errstate(over="ignore", invalid="ignore")
def sparse_segment_sum(x: Array, indices: Array, segment_ids: Array) -> Array:
    """``out[s]`` is the sum of ``x[indices[i]]`` over all i with ``segment_ids[i] == s``, 0 where there is none.

    Args:
        x: rank >= 1, float or integer; integers wrap around, float16 is summed in float32.
        indices: 1-D integers, each a row of ``x``, not negative.
        segment_ids: 1-D integers, one per index, not negative and never decreasing.

    Returns:
        As many rows as the last segment id plus 1, no row without ids; the other dimensions of ``x``.

    Raises:
        KernelInputError: an index is out of range, ids decrease or are negative.

    NOTE: ids that are left out give rows of 0 as in TensorFlow; MindSpore Lite wants the first id to be 0.
    """
    _check_sorted(segment_ids)
    rows = wrap_indices(indices, x.shape[0], negative=False)
    wide = widen(x)
    out = np.zeros((_segments(segment_ids), *x.shape[1:]), dtype=wide.dtype)
    add_rows(as_rows(out, 1), segment_ids.astype(np.intp), as_rows(wide, 1)[rows])
    return out.astype(x.dtype, copy=False)


def infer_sparse_segment_sum(x: ArraySpec, indices: ArraySpec, segment_ids: ArraySpec) -> ArraySpec:
    """The rows are ``UNKNOWN`` where the ids are not constant, and not below 0 in any case.

    Raises:
        KernelInputError: other than one id per index, a scalar ``x``, and as ``sparse_segment_sum``.
    """
    check_dtype(x, NUMBERS)
    check_dtype(segment_ids, INTS, "segment_ids")
    if x.rank == 0:
        raise KernelInputError("input must have at least one dimension, got a scalar")
    check_indices(indices, UNKNOWN if x.shape is None else x.shape[0], negative=False)
    for name, spec in (("indices", indices), ("segment_ids", segment_ids)):
        if spec.rank not in (None, 1):
            raise KernelInputError(f"{name} must be 1-D, got shape {spec.shape}")
    if indices.shape is not None and segment_ids.shape is not None:
        merge_shapes([indices.shape, segment_ids.shape])
    if segment_ids.value is not None:
        _check_sorted(segment_ids.value)
    if x.shape is None:
        return ArraySpec(x.dtype, None)
    count = UNKNOWN if segment_ids.value is None else _segments(segment_ids.value)
    return ArraySpec(x.dtype, (count, *x.shape[1:]))


def _segments(segment_ids: Array) -> int:
    return int(segment_ids[-1]) + 1 if segment_ids.size else 0


def _check_sorted(segment_ids: Array) -> None:
    if segment_ids.size and (segment_ids[0] < 0 or np.any(segment_ids[1:] < segment_ids[:-1])):
        raise KernelInputError(f"segment_ids must be >= 0 and never decrease, got {segment_ids.tolist()}")


KERNEL = ReferenceKernel("SparseSegmentSum", sparse_segment_sum, infer_sparse_segment_sum, NUMBERS)
