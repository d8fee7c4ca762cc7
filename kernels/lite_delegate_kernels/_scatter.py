"""Shared by operators that write updates at coordinates."""

from __future__ import annotations

from ._dtypes import check_same_dtype
from ._indexing import coordinate_length
from ._kernel import UNKNOWN, ArraySpec, Shape
from ._movement import merge_shapes


def check_updates(shape: Shape | None, indices: ArraySpec, updates: ArraySpec) -> None:
    """Raises KernelInputError unless ``updates`` has a row of ``shape`` for each coordinate in ``indices`` (..., K).

    Its shape must be ``indices.shape[:-1] + shape[K:]``. What is not known passes.
    """
    length = coordinate_length(indices, shape)
    if shape is None or indices.shape is None or length == UNKNOWN or updates.shape is None:
        return
    merge_shapes([(*indices.shape[:-1], *shape[length:]), updates.shape])


def infer_scatter(x: ArraySpec, indices: ArraySpec, updates: ArraySpec) -> ArraySpec:
    """The spec of ``x`` after ``updates`` at coordinates ``indices``.

    Raises:
        KernelInputError: dtypes that differ, updates of another shape than the coordinates ask for, coordinates
            that are out of range.
    """
    check_same_dtype(x, updates)
    check_updates(x.shape, indices, updates)
    return ArraySpec(x.dtype, x.shape)
