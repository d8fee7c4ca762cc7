"""Shared by UNSORTED_SEGMENT_MAX, MIN and PROD: rows combined by the segment that each belongs to."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._dtypes import check_dtype
from .._kernel import UNKNOWN, Array, ArraySpec, KernelInputError
from ._shared import one_integer

DTYPES = ("float32", "int32")


def combined(combine: Any, start: Any, x: Array, segments: Array, count: Array) -> Array:
    """The rows of each segment combined.

    Args:
        combine: a function of numpy of two operands.
        start: what a segment without rows has.
        x: (the shape of ``segments``, ...).
        segments: the segment of each row; rows of negative ones are left out.
        count: one integer, of segments.

    Raises:
        KernelInputError: shapes do not fit, or a segment is out of range.
    """
    number = one_integer(count, "the number of segments")
    if x.shape[: segments.ndim] != segments.shape or (segments.size and segments.max() >= number) or number < 0:
        raise KernelInputError(f"segments of shape {segments.shape}, below {number}, do not fit shape {x.shape}")
    y = np.full((number, *x.shape[segments.ndim :]), start, x.dtype)
    kept = segments >= 0
    combine.at(y, segments[kept], x[kept])
    return y


def infer_combined(x: ArraySpec, segments: ArraySpec, count: ArraySpec) -> ArraySpec:
    """(segments, ...), as far as their number is known."""
    check_dtype(x, DTYPES)
    check_dtype(segments, ("int32",), "segments")
    if x.shape is None or segments.shape is None:
        return ArraySpec(x.dtype, None)
    number = UNKNOWN if count.value is None else one_integer(count.value, "the number of segments")
    return ArraySpec(x.dtype, (number, *x.shape[len(segments.shape) :]))


def lowest(dtype: np.dtype[Any]) -> Any:
    """The lowest finite number of a type."""
    return np.finfo(dtype).min if dtype.kind == "f" else np.iinfo(dtype).min


def highest(dtype: np.dtype[Any]) -> Any:
    """The highest finite number of a type."""
    return np.finfo(dtype).max if dtype.kind == "f" else np.iinfo(dtype).max
