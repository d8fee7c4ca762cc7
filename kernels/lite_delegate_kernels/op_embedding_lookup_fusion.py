"""EmbeddingLookupFusion: rows of tables that are stacked on each other, scaled down to a norm."""

from __future__ import annotations

import numpy as np

from ._dtypes import FLOATS, NUMBERS, check_dtype, check_same_dtype, widen
from ._indexing import check_indices, wrap_indices
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel, Shape
from ._movement import merge_shapes


@np.errstate(all="ignore")
def embedding_lookup_fusion(*inputs: Array, max_norm: float = 0.0) -> Array:
    """The rows of the tables, joined on axis 0, that the ids name.

    Args:
        inputs: one or more tables of rank >= 1, float or integer, whose rows have one shape; then the ids,
            integers of any shape, not negative.
        max_norm: a row whose L2 norm is above it is scaled down to it, floats only; 0 scales nothing.

    Returns:
        Shape ``ids.shape + table.shape[1:]``, the tables' dtype. float16 is scaled in float32.

    Raises:
        KernelInputError: an id is out of range.
    """
    *tables, ids = inputs
    table = tables[0] if len(tables) == 1 else np.concatenate(tables)
    rows = np.asarray(np.take(table, wrap_indices(ids, len(table), negative=False), axis=0))
    if max_norm == 0:
        return rows
    wide = widen(rows)
    norm = np.sqrt(np.square(wide).sum(axis=tuple(range(ids.ndim, rows.ndim)), keepdims=True))
    scaled: Array = np.where(norm > max_norm, wide * (max_norm / norm), wide)
    return scaled.astype(rows.dtype, copy=False)


def infer_embedding_lookup_fusion(*inputs: ArraySpec, max_norm: float) -> ArraySpec:
    """The shape of the ids, then that of a row.

    Raises:
        KernelInputError: fewer than two inputs, a negative ``max_norm``, one for integers, tables whose dtypes or
            rows differ, an id that is out of range.
    """
    if len(inputs) < 2:
        raise KernelInputError(f"at least one table and the ids are needed, got {len(inputs)} inputs")
    *tables, ids = inputs
    check_dtype(tables[0], FLOATS if max_norm else NUMBERS)
    check_same_dtype(*tables)
    if not max_norm >= 0:
        raise KernelInputError(f"max_norm must not be negative, got {max_norm}")
    shapes = [t.shape for t in tables if t.shape is not None]
    if () in shapes:
        raise KernelInputError("a table must have at least one dimension, got a scalar")
    counts = [UNKNOWN if t.shape is None else t.shape[0] for t in tables]
    check_indices(ids, UNKNOWN if UNKNOWN in counts else sum(counts), negative=False)
    if not shapes or ids.shape is None:
        return ArraySpec(tables[0].dtype, None)
    return ArraySpec(tables[0].dtype, (*ids.shape, *_row_shape(shapes)))


def _row_shape(shapes: list[Shape]) -> Shape:
    return merge_shapes(shapes, free_axis=0)[1:]


KERNEL = ReferenceKernel("EmbeddingLookupFusion", embedding_lookup_fusion, infer_embedding_lookup_fusion, NUMBERS)
