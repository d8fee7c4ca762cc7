"""Shapes of list elements: partly known shapes, the shape that two of them share, and the arrays that fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from lite_delegate_kernels import UNKNOWN, Array, ArraySpec, KernelInputError, Shape

from ....ir import DataType, has_numpy, to_numpy


def shape_of_array(array: Array) -> Shape | None:
    """The shape that the tensor ``element_shape`` says, -1 for any size; None for any shape, said as scalar -1.

    Raises:
        KernelInputError: not integers, more than one dimension, or a size below -1.
    """
    if array.dtype.kind not in "iu" or array.ndim > 1:
        raise KernelInputError(f"element_shape must be integers in a row, got {array.dtype} of shape {array.shape}")
    if array.ndim == 0 and array.item() == UNKNOWN:
        return None
    dims = tuple(int(d) for d in array.reshape(-1))
    if any(d < UNKNOWN for d in dims):
        raise KernelInputError(f"element_shape must be >= -1 everywhere, got {list(dims)}")
    return dims


def shape_of_spec(spec: ArraySpec) -> Shape | None:
    """The shape that a constant ``element_shape`` says; None, for any, where it is computed."""
    return None if spec.value is None else shape_of_array(spec.value)


def meet_shapes(name: str, a: Shape | None, b: Shape | None) -> Shape | None:
    """The shape that fits both, as far as it is known.

    Raises:
        KernelInputError: no shape fits both.
    """
    if a is None or b is None:
        return b if a is None else a
    if len(a) != len(b) or any(UNKNOWN not in (m, n) and m != n for m, n in zip(a, b, strict=True)):
        raise KernelInputError(f"{name} must have shape {list(a)}, got {list(b)}")
    return tuple(n if m == UNKNOWN else m for m, n in zip(a, b, strict=True))


def dtype_of(type_id: int) -> np.dtype[Any] | None:
    """The element type that an attribute or a stored list says; None for 0, unknown.

    Raises:
        KernelInputError: no such type, or none that can be computed with.
    """
    if type_id == DataType.UNKNOWN:
        return None
    try:
        data_type = DataType(type_id)
    except ValueError:
        raise KernelInputError(f"element type {type_id} is not known") from None
    if not has_numpy(data_type) or data_type == DataType.STRING:
        raise KernelInputError(f"element type {data_type.name} cannot be computed with")
    return to_numpy(data_type)


def meet_dtypes(name: str, a: np.dtype[Any] | None, b: np.dtype[Any] | None) -> np.dtype[Any] | None:
    """The element type that both say, None where neither does; raises KernelInputError where they differ."""
    if a is not None and b is not None and a != b:
        raise KernelInputError(f"{name} must be {a}, got {b}")
    return b if a is None else a


def zeros(name: str, dtype: np.dtype[Any] | None, shape: Shape | None) -> Array:
    """The contents that an item which was never set reads as.

    Raises:
        KernelInputError: the element type or shape is not known, so that nothing can be read.
    """
    if dtype is None or shape is None or UNKNOWN in shape:
        known = "unknown" if shape is None else list(shape)
        raise KernelInputError(f"{name} was never set, and type {dtype or 'unknown'}, shape {known} do not define it")
    return np.zeros(shape, dtype)


def index_of(array: Array) -> int:
    """The number in an index tensor.

    Raises:
        KernelInputError: not one integer.
    """
    if array.size != 1 or array.dtype.kind not in "iu":
        raise KernelInputError(f"index must be one integer, got {array.dtype} of shape {array.shape}")
    return int(array.item())
