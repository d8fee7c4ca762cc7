"""Whole numbers of 8 bits less their zero points, and sums of their products, exactly."""

from __future__ import annotations

import math

import numpy as np

from .._dtypes import check_dtype
from .._kernel import UNKNOWN, Array, ArraySpec, KernelInputError

BYTES = ("int8", "uint8")
INT32 = np.dtype(np.int32)


def centered(x: Array, zero_point: Array | None, axis: int) -> Array:
    """``x - zero_point`` in float64, which holds sums of such products exactly; several points lie along ``axis``."""
    wide = x.astype(np.float64)
    if zero_point is None:
        return wide
    point = zero_point.astype(np.float64)
    if point.size == 1:
        return np.asarray(wide - point.reshape(()))
    return np.asarray(wide - (_along(point, axis, x.ndim) if point.ndim == 1 else point))


def to_int32(sums: Array) -> Array:
    """Whole numbers in float64 as int32, which wrap around."""
    return sums.astype(np.int64).astype(np.int32)


def check_bytes(a: ArraySpec, b: ArraySpec, a_point: ArraySpec | None, b_point: ArraySpec | None) -> None:
    """Raises KernelInputError where operands or zero points are not 8-bit integers, each of its operand's type."""
    for name, x, point in (("a", a, a_point), ("b", b, b_point)):
        check_dtype(x, BYTES, name)
        if point is not None and point.dtype != x.dtype:
            raise KernelInputError(f"the zero point of {name} must be {x.dtype}, got {point.dtype}")


def check_points(name: str, x: ArraySpec, point: ArraySpec | None, axis: int) -> None:
    """Raises KernelInputError unless there is one zero point, or one for each place of ``axis``."""
    if point is None or x.shape is None or point.shape is None or UNKNOWN in (*x.shape, *point.shape):
        return
    count, rank = math.prod(point.shape), len(x.shape)
    along = -rank <= axis < rank and count == x.shape[axis]
    if count != 1 and not (len(point.shape) == 1 and along) and not _broadcasts(point.shape, x.shape):
        raise KernelInputError(f"zero points {point.shape} do not fit {name} of shape {x.shape}")


def _broadcasts(small: tuple[int, ...], large: tuple[int, ...]) -> bool:
    return len(small) == len(large) > 1 and all(s in (1, n) for s, n in zip(small, large, strict=True))


def _along(point: Array, axis: int, rank: int) -> Array:
    return point.reshape([-1 if place == axis % rank else 1 for place in range(rank)])
