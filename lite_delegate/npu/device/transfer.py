"""Transfers between host and device in chunks, so that a cancelled run ends between two chunks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ...delegate import cancel_point
from .programs.instruction import Array

CHUNK = 4 << 20
"""Bytes that are transferred at once, where nobody says."""
LEAST_CHUNK, MOST_CHUNK = 1 << 10, 1 << 30
"""The allowed sizes of a chunk."""


def transferred(source: Array, dtype: np.dtype[np.generic], chunk: int = CHUNK) -> Array:
    """The contents of a view as a new contiguous array of an element type.

    Args:
        source: the view.
        dtype: of the array.
        chunk: bytes that are transferred at once.

    Raises:
        RequestCancelled: the run was cancelled.
    """
    return converted(source, dtype, partial(np.array, dtype=dtype, order="C"), chunk)


def converted(
    source: Array, dtype: np.dtype[np.generic], convert: Callable[[Array], Array], chunk: int = CHUNK
) -> Array:
    """An array with a function applied to each element; a large array is converted in chunks.

    Args:
        source: the array to convert.
        dtype: the type of the converted array.
        convert: gives an array of the shape of its argument.
        chunk: bytes of the converted array that are transferred at once.

    Raises:
        RequestCancelled: the run was cancelled.
    """
    cancel_point()
    if source.size * dtype.itemsize <= chunk:
        return convert(source)
    result = np.empty(source.shape, dtype)
    _fill(result, source, convert, chunk)
    return result


def _fill(result: Array, source: Array, convert: Callable[[Array], Array], chunk: int) -> None:
    if result.nbytes <= chunk:
        cancel_point()
        result[...] = convert(source)
        return
    axis = next(axis for axis, size in enumerate(result.shape) if size > 1)
    size = result.shape[axis]
    rows = max(chunk // (result.nbytes // size), 1)
    for start in range(0, size, rows):
        index = (*(slice(None),) * axis, slice(start, start + rows))
        _fill(result[index], source[index], convert, chunk)
