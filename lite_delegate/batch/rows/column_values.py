"""The values of a column of Arrow as arrays for an input, and the reason for each row that does not fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...basics.data_class import dataclass
from ...errors import InputError
from ...inference.tensors.element_types import converted, converts
from ..pyarrow_package import pyarrow
from .row_type import RowType

NO_VALUE = "has no value"


@dataclass(frozen=True, slots=True, eq=False)
class RowGroup:
    """Rows of one shape.

    Attributes:
        positions: ``(K,)`` of int64, the numbers of the rows, ascending.
        values: ``(K, ...)``, the rows.
    """

    positions: Array
    values: Array


@dataclass(frozen=True, slots=True, eq=False)
class ColumnValues:
    """The values of some rows.

    Attributes:
        groups: the rows that fit, by shape.
        errors: the reason for each row that does not fit, by the row's number.
    """

    groups: Sequence[RowGroup]
    errors: dict[int, str] = field(default_factory=dict)


def column_values(column: Any, wanted: RowType) -> ColumnValues:
    """The values of a column, converted where nothing is lost, and float64 rounded to float32.

    A value is a number, a string, a list, nested lists, a fixed-shape tensor, or the bytes of a tensor. A flat value
    has the elements in the order of the input.

    Args:
        column: a ``pyarrow.Array`` of N rows, without chunks.
        wanted: the type of a row.
    """
    pa = pyarrow()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    errors: dict[int, str] = {}
    positions = np.arange(len(column))
    if column.null_count:
        is_valid = np.asarray(column.is_valid())
        errors = {int(row): NO_VALUE for row in positions[~is_valid]}
        column, positions = column.drop_null(), positions[is_valid]
    if not len(column):
        return ColumnValues((), errors)
    groups = [
        group
        for values, shape, rows in _shaped(column, wanted, positions, errors)
        for group in _converted(values, shape, rows, wanted, errors)
    ]
    return ColumnValues(groups, errors)


def array_values(arrays: Sequence[Any], wanted: RowType) -> ColumnValues:
    """As ``column_values``, for one array or reason (a text) per row."""
    errors: dict[int, str] = {}
    by_shape: dict[tuple[int, ...], list[int]] = {}
    for row, array in enumerate(arrays):
        if isinstance(array, str):
            errors[row] = array
            continue
        shape = wanted.shape_of(array.size, array.shape)
        if shape is None:
            errors[row] = f"expected {wanted.text}, got {array.dtype} {list(array.shape)}"
        else:
            by_shape.setdefault(shape, []).append(row)
    groups: list[RowGroup] = []
    for shape, rows in by_shape.items():
        stacked = np.stack([np.asarray(arrays[row]).reshape(shape) for row in rows])
        groups += _converted(stacked, shape, np.array(rows), wanted, errors)
    return ColumnValues(groups, errors)


_Shaped = Iterator[tuple[Array, tuple[int, ...], Array]]


def _shaped(column: Any, wanted: RowType, positions: Array, errors: dict[int, str]) -> _Shaped:
    """The elements of rows, the shape of a row, and the rows' numbers."""
    pa = pyarrow()
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        shape = tuple(kind.shape) if isinstance(kind, pa.FixedShapeTensorType) else None
        if shape is not None and kind.permutation not in (None, list(range(len(shape)))):
            raise InputError(f"Input '{wanted.name}': tensors with permuted dimensions are not read ({kind}).")
        yield from _of_lists(column.storage, wanted, positions, errors, shape)
    elif pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        yield from _of_bytes(column, wanted, positions, errors)
    elif is_list(kind):
        yield from _of_lists(column, wanted, positions, errors, None)
    else:
        yield from _fitting(_elements(column), (), positions, wanted, errors)


def is_list(kind: Any) -> bool:
    """Whether a type of Arrow is a list."""
    types = pyarrow().types
    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def _elements(leaf: Any) -> Array:
    pa = pyarrow()
    if pa.types.is_decimal(leaf.type):
        leaf = leaf.cast(pa.float64())
    return np.asarray(leaf.to_numpy(zero_copy_only=False))


def _of_lists(
    column: Any, wanted: RowType, positions: Array, errors: dict[int, str], shape: tuple[int, ...] | None
) -> _Shaped:
    """Lists: those of one length are read together, without a copy."""
    for inner, lengths, rows in _by_length(column, positions):
        has_null = inner.null_count or (is_list(inner.type) and inner.flatten().null_count)
        if has_null:
            yield from _one_by_one(column, wanted, rows, positions, errors)
        elif is_list(inner.type):
            yield from _of_nested(inner, lengths, wanted, rows, errors)
        else:
            yield from _fitting(_elements(inner), (lengths,) if shape is None else shape, rows, wanted, errors)


def _by_length(column: Any, positions: Array) -> Iterator[tuple[Any, int, Array]]:
    """The flat elements of rows of one length, the length, and the rows."""
    pa = pyarrow()
    if pa.types.is_fixed_size_list(column.type):
        yield column.flatten(), column.type.list_size, positions
        return
    lengths = np.asarray(column.value_lengths())
    for length in np.unique(lengths):
        is_here = lengths == length
        same = column if is_here.all() else column.filter(pa.array(is_here))
        yield same.flatten(), int(length), positions[is_here]


def _of_nested(inner: Any, outer: int, wanted: RowType, rows: Array, errors: dict[int, str]) -> _Shaped:
    """Lists of lists of one length each; other lists are read one by one."""
    dims, leaf = [outer], inner
    while is_list(leaf.type):
        is_fixed = pyarrow().types.is_fixed_size_list(leaf.type)
        lengths = np.array([leaf.type.list_size]) if is_fixed else np.unique(np.asarray(leaf.value_lengths()))
        if len(lengths) > 1 or not len(leaf):
            count = len(inner) // max(len(rows), 1)
            lists = [inner.slice(number * count, count).to_pylist() for number in range(len(rows))]
            yield from _of_python(lists, wanted, rows, errors)
            return
        dims.append(int(lengths[0]))
        leaf = leaf.flatten()
    yield from _fitting(_elements(leaf), tuple(dims), rows, wanted, errors)


def _one_by_one(column: Any, wanted: RowType, rows: Array, positions: Array, errors: dict[int, str]) -> _Shaped:
    """Lists with missing elements: a row that has one is an error."""
    lists = [column[int(number)].as_py() for number in np.flatnonzero(np.isin(positions, rows))]
    yield from _of_python(lists, wanted, rows, errors)


def _of_python(lists: Sequence[Any], wanted: RowType, rows: Array, errors: dict[int, str]) -> _Shaped:
    for row, each in zip(rows, lists, strict=True):
        try:
            array = np.array(each)
        except ValueError:
            errors[int(row)] = f"expected {wanted.text}, got lists of different lengths"
            continue
        if array.dtype == object and not wanted.holds_strings:
            errors[int(row)] = "has an element without a value"
            continue
        yield from _fitting(array, array.shape, np.array([row]), wanted, errors)


def _of_bytes(column: Any, wanted: RowType, positions: Array, errors: dict[int, str]) -> _Shaped:
    """Bytes of tensors, in the input's element type and this machine's byte order."""
    from pyarrow import compute

    pa = pyarrow()
    if pa.types.is_fixed_size_binary(column.type):
        column = column.cast(pa.binary())
    size = wanted.dtype.itemsize
    lengths = np.asarray(compute.binary_length(column))
    for length in np.unique(lengths):
        is_here = lengths == length
        same = column if is_here.all() else column.filter(pa.array(is_here))
        rows = positions[is_here]
        if wanted.holds_strings or length % size:
            errors |= {int(row): f"expected {wanted.text}, got {length} bytes" for row in rows}
            continue
        whole = np.frombuffer(_joined(same), wanted.dtype)
        yield from _fitting(whole, (int(length) // size,), rows, wanted, errors)


def _joined(column: Any) -> Any:
    """The bytes of all rows, one after the other."""
    wide = pyarrow().types.is_large_binary(column.type)
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, np.int64 if wide else np.int32)[column.offset : column.offset + len(column) + 1]
    return memoryview(data)[int(ends[0]) : int(ends[-1])] if data is not None else b""


def _fitting(elements: Array, shape: tuple[int, ...], rows: Array, wanted: RowType, errors: dict[int, str]) -> _Shaped:
    """The elements, if a row of this shape fits the input; else an error for each row."""
    fits = wanted.shape_of(int(np.prod(shape, dtype=np.int64)), shape if shape else None)
    if fits is None:
        errors |= {int(row): f"expected {wanted.text}, got {elements.dtype} {list(shape)}" for row in rows}
        return
    yield elements, fits, rows


def _converted(
    values: Array, shape: tuple[int, ...], rows: Array, wanted: RowType, errors: dict[int, str]
) -> Iterator[RowGroup]:
    """The rows in the input's element type; a row that would lose something is an error."""
    values = values.reshape((len(rows), *shape))
    if wanted.holds_strings != (values.dtype.kind in "OUS"):
        errors |= {int(row): f"expected {wanted.text}, got {values.dtype}" for row in rows}
        return
    if wanted.holds_strings or values.dtype == wanted.dtype:
        yield RowGroup(rows, values)
    elif converts(values.dtype, wanted.dtype):
        yield RowGroup(rows, converted(values, wanted.dtype))
    else:
        with np.errstate(all="ignore"):
            made = values.astype(wanted.dtype)
            is_same = (made.astype(values.dtype) == values).reshape(len(rows), -1).all(axis=1)
        errors |= {int(row): f"{values.dtype} loses something as {wanted.dtype}" for row in rows[~is_same]}
        if is_same.any():
            yield RowGroup(rows[is_same], made[is_same])
