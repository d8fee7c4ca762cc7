"""The shapes of the rows of a column of lists, for all rows at once, and their elements."""

from __future__ import annotations

from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...basics.data_class import dataclass
from ..pyarrow_package import pyarrow

STACKED = 64
"""The elements of a row from which copying row by row is quicker than an index for each element."""


@dataclass(frozen=True, slots=True, eq=False)
class ListShapes:
    """The shapes of N rows of lists, or of lists of lists.

    Attributes:
        dims: ``(N, D)`` of int64 for D levels of lists; -1 for the levels inside of an empty list.
        starts: ``(N,)`` of int64, the first element of each row in ``elements``.
        elements: a ``pyarrow.Array`` of the innermost elements.
        is_ragged: ``(N,)`` of bool, true where lists of one level have different lengths.
        has_null: ``(N,)`` of bool, true where a list or an element inside of the row has no value.
    """

    dims: Array
    starts: Array
    elements: Any
    is_ragged: Array
    has_null: Array


def is_list(kind: Any) -> bool:
    """Whether a type of Arrow is a list."""
    types = pyarrow().types
    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def list_shapes(column: Any) -> ListShapes:
    """The shapes of a column's rows; a row without a value has any shape.

    Args:
        column: a ``pyarrow.Array`` of lists.
    """
    rows = len(column)
    begins, ends = np.arange(rows), np.arange(1, rows + 1)
    dims: list[Array] = []
    is_ragged, has_null = np.zeros(rows, np.bool_), np.zeros(rows, np.bool_)
    level = column
    while is_list(level.type):
        if dims and level.null_count:
            has_null |= _any_between(np.asarray(level.is_null()), begins, ends)
        starts, stops, level = _children(level)
        least, most = _extremes(stops - starts, begins, ends)
        is_ragged |= least != most
        dims.append(np.where(dims[-1] > 0, most, -1) if dims else most)
        begins, ends = _mapped(starts, stops, begins, ends)
    if level.null_count:
        has_null |= _any_between(np.asarray(level.is_null()), begins, ends)
        level = level.fill_null(_some(level))
    return ListShapes(np.stack(dims, axis=1), begins, level, is_ragged & ~has_null, has_null)


def gathered(elements: Array, starts: Array, size: int) -> Array:
    """``size`` elements from each start on, ``(K, size)``; no copy where the rows follow each other."""
    count = len(starts)
    if count and np.array_equal(starts, starts[0] + size * np.arange(count)):
        return elements[starts[0] : starts[0] + count * size].reshape(count, size)
    if size < STACKED:
        return elements[starts[:, None] + np.arange(size)]
    return np.stack([elements[start : start + size] for start in starts.tolist()])


def _children(level: Any) -> tuple[Array, Array, Any]:
    """The first and the last child, exclusive, of each list; and the children, from the first one that is used."""
    if pyarrow().types.is_fixed_size_list(level.type):
        size = level.type.list_size
        starts = size * np.arange(len(level))
        return starts, starts + size, level.values.slice(level.offset * size, len(level) * size)
    offsets = np.asarray(level.offsets).astype(np.int64)
    if not len(level):
        return offsets[:0], offsets[:0], level.values.slice(0, 0)
    first = int(offsets[0])
    starts, stops = offsets[:-1] - first, offsets[1:] - first
    if level.null_count:
        stops = np.where(np.asarray(level.is_null()), starts, stops)
    return starts, stops, level.values.slice(first, int(offsets[-1]) - first)


def _mapped(starts: Array, stops: Array, begins: Array, ends: Array) -> tuple[Array, Array]:
    """The stretch of children of each row, from its stretch of lists."""
    if not len(starts):
        return np.zeros_like(begins), np.zeros_like(begins)
    is_empty = ends <= begins
    first, last = starts[np.minimum(begins, len(starts) - 1)], stops[np.maximum(ends, 1) - 1]
    return np.where(is_empty, 0, first), np.where(is_empty, 0, last)


def _extremes(lengths: Array, begins: Array, ends: Array) -> tuple[Array, Array]:
    """The least and the greatest length in each stretch; -1 for an empty one."""
    if len(lengths) == len(begins) and np.array_equal(begins, np.arange(len(begins))):
        return lengths, lengths
    if not len(lengths):
        return np.full(len(begins), -1), np.full(len(begins), -1)
    if lengths.min() == lengths.max():
        same = np.where(ends > begins, lengths[0], -1)
        return same, same
    return _reduced(np.minimum, lengths, begins, ends), _reduced(np.maximum, lengths, begins, ends)


def _reduced(function: np.ufunc, values: Array, begins: Array, ends: Array) -> Array:
    found = np.full(len(begins), -1)
    used = ends > begins
    bounds = np.stack([begins[used], ends[used]], axis=1).reshape(-1)
    found[used] = function.reduceat(np.append(values, values[-1]), bounds)[::2]
    return found


def _any_between(flags: Array, begins: Array, ends: Array) -> Array:
    counts = np.concatenate([[0], np.cumsum(flags)])
    return np.asarray(counts[ends] > counts[begins])


def _some(level: Any) -> Any:
    """A value of an array's type, which stands where there is none."""
    valid = level.drop_null()
    pa = pyarrow()
    if len(valid):
        return valid[0]
    return pa.scalar("" if pa.types.is_string(level.type) or pa.types.is_large_string(level.type) else 0).cast(
        level.type
    )
