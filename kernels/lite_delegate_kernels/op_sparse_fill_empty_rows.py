"""SparseFillEmptyRows: a default value for every row of a sparse array that has none."""

from __future__ import annotations

import numpy as np

from ._dtypes import ALL_DTYPES, INTS, check_dtype, check_same_dtype
from ._indexing import wrap_indices
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel, Shape
from ._movement import constant_sizes, merge_shapes, size_list


def sparse_fill_empty_rows(
    indices: Array, values: Array, dense_shape: Array, default: Array
) -> tuple[Array, Array, Array, Array]:
    """The elements row by row, in their given order within a row, and one default at column 0 of every empty row.

    Args:
        indices: integers (M, K), K >= 1; the first of a coordinate is its row, not negative.
        values: (M,), any dtype.
        dense_shape: K integers >= 0; the first is the number of rows, the others have no effect.
        default: one value of the dtype of ``values``.

    Returns:
        Indices (M', K), values (M',), bool (rows,): whether a row was empty, and (M,) in the dtype of ``indices``:
        where each element went.

    Raises:
        KernelInputError: a row is out of range.

    NOTE: TensorFlow's four outputs; a node may list the first three only, as MindSpore Lite allows.
    """
    count = _row_count(size_list(dense_shape, "dense_shape"))
    rows = wrap_indices(indices[:, 0], count, negative=False)
    empty = np.bincount(rows, minlength=count) == 0
    missing = np.zeros((int(empty.sum()), indices.shape[1]), dtype=indices.dtype)
    missing[:, 0] = np.flatnonzero(empty)
    all_rows = np.concatenate([rows, np.flatnonzero(empty)])
    order = np.argsort(all_rows, kind="stable")
    went_to = np.empty(order.size, dtype=indices.dtype)
    went_to[order] = np.arange(order.size)
    defaults = np.full(len(missing), default.reshape(()), dtype=values.dtype)
    return (
        np.concatenate([indices, missing])[order],
        np.concatenate([values, defaults])[order],
        empty,
        went_to[: len(values)],
    )


def infer_sparse_fill_empty_rows(
    indices: ArraySpec, values: ArraySpec, dense_shape: ArraySpec, default: ArraySpec
) -> tuple[ArraySpec, ArraySpec, ArraySpec, ArraySpec]:
    """The number of elements is ``UNKNOWN``; rows and coordinates as far as they are known.

    Raises:
        KernelInputError: dtypes that differ, ranks other than 2 and 1, other than one value per coordinate, a constant
            row that is out of range.
    """
    check_dtype(indices, INTS, "indices")
    check_dtype(values, ALL_DTYPES, "values")
    check_same_dtype(values, default)
    sizes = constant_sizes(dense_shape, "dense_shape")
    if indices.rank not in (None, 2) or values.rank not in (None, 1):
        raise KernelInputError(f"indices must be 2-D and values 1-D, got shapes {indices.shape} and {values.shape}")
    lengths = [s.shape[:1] for s in (indices, values) if s.shape is not None]
    count = merge_shapes(lengths)[0] if lengths else UNKNOWN
    depth = UNKNOWN if indices.shape is None else indices.shape[1]
    rows = UNKNOWN if sizes is None else _row_count(sizes)
    if indices.value is not None and rows != UNKNOWN:
        wrap_indices(indices.value[:, 0], rows, negative=False)
    return (
        ArraySpec(indices.dtype, (UNKNOWN, depth)),
        ArraySpec(values.dtype, (UNKNOWN,)),
        ArraySpec(np.dtype(np.bool_), (rows,)),
        ArraySpec(indices.dtype, (count,)),
    )


def _row_count(sizes: Shape) -> int:
    if not sizes:
        raise KernelInputError("dense_shape must hold at least one value, got none")
    return sizes[0]


KERNEL = ReferenceKernel("SparseFillEmptyRows", sparse_fill_empty_rows, infer_sparse_fill_empty_rows, INTS)
