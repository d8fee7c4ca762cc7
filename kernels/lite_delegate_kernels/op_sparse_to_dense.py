"""SparseToDense: an array of one value with others written at coordinates."""

from __future__ import annotations

import numpy as np

from ._dtypes import ALL_DTYPES, INTS, check_dtype, check_same_dtype
from ._filling import infer_sizes
from ._indexing import row_numbers
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel, Shape
from ._movement import size_list, vector_length


def sparse_to_dense(indices: Array, shape: Array, values: Array, default: Array | None = None) -> Array:
    """``out`` is ``values[i]`` at coordinate ``indices[i]`` and ``default`` elsewhere.

    Args:
        indices: integers, not negative: (M, K) coordinates, or (M,) or one integer where the output is 1-D.
        shape: K integers >= 0, the output dimensions.
        values: M values of any dtype, or one for all coordinates.
        default: one value of the dtype of ``values``; 0 where it is absent.

    Returns:
        The dtype of ``values``.

    Raises:
        KernelInputError: a coordinate is out of range or has not one value per dimension, or ``shape`` is empty.

    NOTE: of several values of one coordinate the last wins, as in MindSpore Lite; TensorFlow rejects repeated ones
    unless its check is off.
    """
    dims = size_list(shape, "shape")
    _coordinate_count(indices.shape, len(dims))
    out = np.full(dims, 0 if default is None else default.reshape(()), dtype=values.dtype)
    rows = row_numbers(indices.reshape(-1, len(dims)), dims, negative=False)
    out.reshape(-1)[rows] = values.ravel()
    return out


def infer_sparse_to_dense(
    indices: ArraySpec, shape: ArraySpec, values: ArraySpec, default: ArraySpec | None = None
) -> ArraySpec:
    """The dimensions that ``shape`` holds, the rank alone where it is not constant.

    Raises:
        KernelInputError: dtypes that differ, coordinates that do not fit the rank, other than M or one value.
    """
    check_dtype(indices, INTS, "indices")
    check_dtype(values, ALL_DTYPES, "values")
    check_same_dtype(values, default)
    if default is not None and vector_length(default) not in (None, 1):
        raise KernelInputError(f"default must hold one value, got shape {default.shape}")
    dims = infer_sizes(shape)
    count = _coordinate_count(indices.shape, None if dims is None else len(dims))
    found = vector_length(values)
    if UNKNOWN not in (count, UNKNOWN if found is None else found) and found not in (1, count):
        raise KernelInputError(f"values must hold 1 or {count} values, got shape {values.shape}")
    if indices.value is not None and dims is not None and UNKNOWN not in dims:
        row_numbers(indices.value.reshape(-1, len(dims)), dims, negative=False)
    return ArraySpec(values.dtype, dims)


def _coordinate_count(shape: Shape | None, rank: int | None) -> int:
    if rank == 0:
        raise KernelInputError("shape must hold at least one dimension, got none")
    if shape is None:
        return UNKNOWN
    if len(shape) > 2:
        raise KernelInputError(f"indices must have at most two dimensions, got shape {shape}")
    length = shape[1] if len(shape) == 2 else 1
    if rank is not None and length not in (UNKNOWN, rank):
        raise KernelInputError(f"indices of shape {shape} must hold coordinates of {rank} values")
    return shape[0] if shape else 1


KERNEL = ReferenceKernel("SparseToDense", sparse_to_dense, infer_sparse_to_dense, INTS)
