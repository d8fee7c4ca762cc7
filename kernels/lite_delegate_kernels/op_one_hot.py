"""OneHot: a new axis that is "on" at the position that each index names and "off" elsewhere."""

from __future__ import annotations

import numpy as np

from ._dtypes import check_dtype, check_same_dtype
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._movement import constant_ints, int_list, normalize_new_axis, single_int, vector_length

_INDEX_DTYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")


def one_hot(indices: Array, depth: Array, on: Array, off: Array | None = None, *, axis: int = 0) -> Array:
    """``on`` where the position along the new axis is the index, ``off`` elsewhere.

    Args:
        indices: integers of any shape. One that is not in ``[0, depth)`` gives "off" only.
        depth: one integer >= 0, the length of the new axis; a whole float is taken too.
        on: one value of any dtype; where ``off`` is absent two values, [off, on], and then indices in
            ``[-depth, 0)`` count from the end.
        off: one value of the dtype of ``on``.
        axis: where the new axis goes, -1 is last.

    Returns:
        The dtype of ``on``, one dimension more than ``indices``.

    Raises:
        KernelInputError: ``depth`` is negative, or a value is not single.

    NOTE: the form with ``off`` is TensorFlow's, the one without is ONNX's; they differ in negative indices.
    """
    length = _depth(int_list(depth, "depth", whole_floats=True))
    off_value, on_value = on.ravel() if off is None else (off.item(), on.item())
    places = indices.ravel().astype(np.int64)
    if off is None:
        places = np.where(places < 0, places + length, places)
    out = np.full((places.size, length), off_value, dtype=on.dtype)
    (hit,) = np.nonzero((places >= 0) & (places < length))
    out[hit, places[hit]] = on_value
    return np.moveaxis(out.reshape(*indices.shape, length), -1, normalize_new_axis(axis, indices.ndim))


def infer_one_hot(
    indices: ArraySpec, depth: ArraySpec, on: ArraySpec, off: ArraySpec | None = None, *, axis: int
) -> ArraySpec:
    """The new axis among the dimensions of ``indices``, ``UNKNOWN`` where ``depth`` is not constant."""
    check_dtype(indices, _INDEX_DTYPES, "indices")
    check_same_dtype(on, off)
    _check_count(on, 1 if off else 2, "on" if off else "the input [off, on]")
    if off is not None:
        _check_count(off, 1, "off")
    depth_value = constant_ints(depth, "depth", whole_floats=True)
    length = UNKNOWN if depth_value is None else _depth(depth_value)
    if indices.shape is None:
        return ArraySpec(on.dtype, None)
    a = normalize_new_axis(axis, len(indices.shape))
    return ArraySpec(on.dtype, (*indices.shape[:a], length, *indices.shape[a:]))


def _depth(values: list[int]) -> int:
    depth = single_int(values, "depth")
    if depth < 0:
        raise KernelInputError(f"depth must not be negative, got {depth}")
    return depth


def _check_count(spec: ArraySpec, count: int, name: str) -> None:
    if vector_length(spec) not in (None, count):
        raise KernelInputError(f"{name} must hold {count} values, got shape {spec.shape}")


KERNEL = ReferenceKernel("OneHot", one_hot, infer_one_hot, _INDEX_DTYPES)
