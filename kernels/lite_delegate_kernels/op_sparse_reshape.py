"""SparseReshape: the coordinates of a sparse array under another shape."""

from __future__ import annotations

import math

import numpy as np

from ._dtypes import INTS, check_dtype
from ._indexing import row_numbers
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel, Shape
from ._movement import constant_ints, constant_sizes, int_list, size_list, vector_length


def sparse_reshape(indices: Array, shape: Array, new_shape: Array) -> tuple[Array, Array]:
    """Coordinates that name the same places, in row-major order, of the reshaped array.

    Args:
        indices: integers (M, K), not negative.
        shape: K integers >= 0, the dimensions that ``indices`` address.
        new_shape: J integers >= 0, of which one may be -1 (what is left).

    Returns:
        Indices (M, J) in the dtype of ``indices``; and (J,) in that of ``new_shape``: the new shape, -1 worked out.

    Raises:
        KernelInputError: an index is out of range, or the shapes have other numbers of elements.
    """
    source = size_list(shape, "shape")
    _check_coordinates(indices.shape, len(source))
    target = _target(source, int_list(new_shape, "new_shape"))
    places = row_numbers(indices, source, negative=False)
    strides = np.array([math.prod(target[i + 1 :]) for i in range(len(target))], dtype=np.intp)
    moved = places[:, None] // strides % np.array(target, dtype=np.intp)
    return moved.astype(indices.dtype), np.array(target, dtype=new_shape.dtype)


def infer_sparse_reshape(indices: ArraySpec, shape: ArraySpec, new_shape: ArraySpec) -> tuple[ArraySpec, ArraySpec]:
    """(M, J) and (J,).

    Raises:
        KernelInputError: indices that are not (M, K), a constant index that is out of range, constant shapes that
            do not fit.
    """
    check_dtype(indices, INTS, "indices")
    source, wanted = constant_sizes(shape, "shape"), constant_ints(new_shape, "new_shape")
    _check_coordinates(indices.shape, vector_length(shape))
    if source is not None and wanted is not None:
        _target(source, wanted)
    if source is not None and indices.value is not None:
        row_numbers(indices.value, source, negative=False)
    length = vector_length(new_shape)
    rank = UNKNOWN if length is None else length
    count = UNKNOWN if indices.shape is None else indices.shape[0]
    return ArraySpec(indices.dtype, (count, rank)), ArraySpec(new_shape.dtype, (rank,))


def _check_coordinates(shape: Shape | None, rank: int | None) -> None:
    if shape is not None and (len(shape) != 2 or (rank is not None and shape[1] not in (UNKNOWN, rank))):
        raise KernelInputError(f"indices must be (M, {'K' if rank is None else rank}), got shape {shape}")


def _target(source: Shape, wanted: list[int]) -> Shape:
    if min(wanted, default=0) < -1 or wanted.count(-1) > 1:
        raise KernelInputError(f"new_shape must hold sizes and at most one -1, got {wanted}")
    count, fixed = math.prod(source), math.prod(d for d in wanted if d >= 0)
    if -1 not in wanted and fixed != count:
        raise KernelInputError(f"shape {source} cannot become {wanted}, the element counts differ")
    if -1 in wanted and (fixed == 0 or count % fixed):
        raise KernelInputError(f"{count} elements do not fill new_shape {wanted}")
    return tuple(count // fixed if d == -1 else d for d in wanted)


KERNEL = ReferenceKernel("SparseReshape", sparse_reshape, infer_sparse_reshape, INTS)
