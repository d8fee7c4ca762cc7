"""The values of a column of Arrow as arrays for an input, and the reason for each row that does not fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...inference.tensors.element_types import NUMBERS, converted, converts
from ..pyarrow_package import pyarrow
from .arrow_arrays import numbers_of
from .exact_numbers import in_type
from .image_marks import image_format
from .list_shapes import gathered, is_list, list_shapes
from .row_type import RowType

NO_VALUE, NO_ELEMENT, RAGGED = "has no value", "has an element without a value", "has lists of different lengths"
"""Reasons."""


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

    A value is a number, a string, a list, nested lists, a fixed-shape tensor, the bytes of a tensor, or a struct of a
    tensor's elements and its shape, as parts of a job have it. A flat value has the elements in the order of the input.

    Args:
        column: a ``pyarrow.Array`` of N rows, without chunks.
        wanted: the type of a row.
    """
    return _Columns(column, wanted).values()


def array_values(arrays: Sequence[Any], wanted: RowType) -> ColumnValues:
    """As ``column_values``, for one array or reason (a text) per row."""
    errors: dict[int, str] = {}
    alike: dict[tuple[np.dtype[Any], tuple[int, ...]], list[int]] = {}
    for row, array in enumerate(arrays):
        if isinstance(array, str):
            errors[row] = array
            continue
        shape = wanted.shape_of(array.size, array.shape)
        if shape is None or array.dtype.kind not in f"{NUMBERS}OUS":
            errors[row] = f"expected {wanted.text}, got {array.dtype} {list(array.shape)}"
        else:
            alike.setdefault((array.dtype, shape), []).append(row)
    groups: list[RowGroup] = []
    for (_, shape), rows in alike.items():
        stacked = np.stack([np.asarray(arrays[row]).reshape(shape) for row in rows])
        groups += _converted(stacked, np.array(rows), wanted, errors)
    return ColumnValues(_merged(groups), errors)


def _merged(groups: Sequence[RowGroup]) -> list[RowGroup]:
    """One group for each shape: rows of one shape may have come in several element types."""
    by_shape: dict[tuple[int, ...], list[RowGroup]] = {}
    for group in groups:
        by_shape.setdefault(group.values.shape[1:], []).append(group)
    return [each[0] if len(each) == 1 else _joined(each) for each in by_shape.values()]


def _joined(groups: Sequence[RowGroup]) -> RowGroup:
    positions = np.concatenate([group.positions for group in groups])
    order = np.argsort(positions)
    return RowGroup(positions[order], np.concatenate([group.values for group in groups])[order])


class _Columns:
    """Reads one column; each method is for one kind of column, and adds groups of rows and errors."""

    def __init__(self, column: Any, wanted: RowType) -> None:
        if pyarrow().types.is_dictionary(column.type):
            column = column.dictionary_decode()
        self._column, self._wanted = column, wanted
        self._errors: dict[int, str] = {}
        self._groups: list[RowGroup] = []

    def values(self) -> ColumnValues:
        """The values of all rows."""
        rows = np.arange(len(self._column))
        if self._column.null_count:
            is_valid = np.asarray(self._column.is_valid())
            self._refuse(rows[~is_valid], NO_VALUE)
            rows = rows[is_valid]
        if len(rows):
            self._reader()(rows)
        return ColumnValues(self._groups, self._errors)

    def _reader(self) -> Callable[[Array], None]:
        pa, kind = pyarrow(), self._column.type
        if isinstance(kind, pa.BaseExtensionType):
            self._column = self._column.storage
            if isinstance(kind, pa.FixedShapeTensorType):
                return lambda rows: self._read_tensors(rows, tuple(kind.shape))
            return self._reader()
        if pa.types.is_struct(kind):
            return self._read_shaped
        if is_bytes(kind):
            return self._read_bytes
        return self._read_lists if is_list(kind) else self._read_scalars

    def _refuse(self, rows: Array, reason: str) -> None:
        self._errors.update(dict.fromkeys(rows.tolist(), reason))

    def _without(self, rows: Array, is_bad: Array, reason: str) -> Array:
        """The rows that are not bad; the others get the reason."""
        if not is_bad.any():
            return rows
        self._refuse(rows[is_bad[rows]], reason)
        return rows[~is_bad[rows]]

    def _read_scalars(self, rows: Array) -> None:
        whole = self._column if len(rows) == len(self._column) else self._column.drop_null()
        self._add(elements_of(whole), (), rows)

    def _read_tensors(self, rows: Array, shape: tuple[int, ...]) -> None:
        found = list_shapes(self._column)
        rows = self._without(rows, found.has_null, NO_ELEMENT)
        if len(rows):
            self._add(gathered(elements_of(found.elements), found.starts[rows], int(np.prod(shape))), shape, rows)

    def _read_lists(self, rows: Array) -> None:
        found = list_shapes(self._column)
        rows = self._without(rows, found.has_null, NO_ELEMENT)
        rows = self._without(rows, found.is_ragged, RAGGED)
        if len(rows):
            elements = elements_of(found.elements)
            for dims, same in _alike(found.dims, rows):
                shape = tuple(dim for dim in dims if dim >= 0)
                self._add(gathered(elements, found.starts[same], int(np.prod(shape))), shape, same)

    def _read_shaped(self, rows: Array) -> None:
        """Structs of the elements and the shape."""
        data, dims = list_shapes(self._column.field("data")), list_shapes(self._column.field("shape"))
        fields = [self._column.field(name) for name in ("data", "shape")]
        is_null = np.any([np.asarray(each.is_null()) for each in fields], axis=0) | data.has_null | dims.has_null
        rows = self._without(rows, is_null, NO_ELEMENT)
        elements, sizes = elements_of(data.elements), np.asarray(dims.elements).astype(np.int64)
        for (rank, count), same in _alike(np.stack([dims.dims[:, 0], data.dims[:, 0]], axis=1), rows):
            shapes = gathered(sizes, dims.starts[same], rank) if rank else np.zeros((len(same), 0), np.int64)
            for shape, which in _alike(shapes, np.arange(len(same))):
                if int(np.prod(shape)) != count or min(shape, default=0) < 0:
                    self._refuse(same[which], f"has {count} elements and the shape {list(shape)}")
                else:
                    self._add(gathered(elements, data.starts[same[which]], count), shape, same[which])

    def _read_bytes(self, rows: Array) -> None:
        """Bytes of tensors, in the input's element type and this machine's byte order."""
        starts, lengths, data = bytes_of(self._column)
        size = self._wanted.dtype.itemsize
        for (length,), same in _alike(lengths[:, None], rows):
            if self._wanted.holds_strings or length % size or self._wanted.shape_of(length // size) is None:
                for row in same.tolist():
                    self._errors[row] = self._misfit(data[starts[row] : starts[row] + length])
            else:
                taken = np.ascontiguousarray(gathered(data, starts[same], length))
                self._add(taken.view(self._wanted.dtype), (length // size,), same)

    def _misfit(self, data: Array) -> str:
        name = image_format(data[:16].tobytes())
        hint = f" of a {name} image; say --preprocess" if name else ""
        return f"expected {self._wanted.text}, got {counted(len(data), 'byte')}{hint}"

    def _add(self, elements: Array, shape: tuple[int, ...], rows: Array) -> None:
        """Rows of one shape, if it fits the input; else an error for each row."""
        fits = self._wanted.shape_of(int(np.prod(shape, dtype=np.int64)), shape if shape else None)
        if fits is None:
            self._refuse(rows, f"expected {self._wanted.text}, got {elements.dtype} {list(shape)}")
            return
        self._groups += _converted(elements.reshape((len(rows), *fits)), rows, self._wanted, self._errors)


def is_bytes(kind: Any) -> bool:
    """Whether a type of Arrow is bytes."""
    types = pyarrow().types
    return bool(types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind))


def bytes_of(column: Any) -> tuple[Array, Array, Array]:
    """The first byte and the number of bytes of each row, and the bytes, without a copy."""
    types = pyarrow().types
    rows = len(column)
    if types.is_fixed_size_binary(column.type):
        width = column.type.byte_width
        starts, lengths, data = width * (column.offset + np.arange(rows)), np.full(rows, width), column.buffers()[1]
    else:
        wide = types.is_large_binary(column.type)
        _, offsets, data = column.buffers()
        used = slice(column.offset, column.offset + rows + 1)
        ends = np.frombuffer(offsets, np.int64 if wide else np.int32)[used] if rows else np.zeros(1, np.int64)
        starts, lengths = ends[:-1].astype(np.int64), np.diff(ends).astype(np.int64)
    return starts, lengths, np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(0, np.uint8)


def elements_of(leaf: Any) -> Array:
    """Numbers or strings without missing ones as an array of numpy; decimals are rounded to float64."""
    pa = pyarrow()
    if pa.types.is_dictionary(leaf.type):
        leaf = leaf.dictionary_decode()
    if pa.types.is_decimal(leaf.type):
        leaf = leaf.cast(pa.float64())
    if pa.types.is_integer(leaf.type) or pa.types.is_floating(leaf.type):
        return numbers_of(leaf)
    return np.asarray(leaf.to_numpy(zero_copy_only=False))


def _alike(facts: Array, rows: Array) -> Iterator[tuple[tuple[int, ...], Array]]:
    """The rows by equal facts.

    Args:
        facts: ``(N, D)`` of integers.
        rows: ``(K,)``, the numbers of rows, ascending.
    """
    chosen = facts[rows]
    if not len(rows):
        return
    if (chosen == chosen[0]).all():
        yield tuple(chosen[0].tolist()), rows
        return
    each, which = np.unique(chosen, axis=0, return_inverse=True)
    order = np.argsort(which.reshape(-1), kind="stable")
    ends = np.cumsum(np.bincount(which.reshape(-1)))
    for fact, start, end in zip(each.tolist(), [0, *ends[:-1]], ends, strict=True):
        yield tuple(fact), rows[order[start:end]]


def _converted(values: Array, rows: Array, wanted: RowType, errors: dict[int, str]) -> Iterator[RowGroup]:
    """The rows in the input's element type; a row that would lose something is an error."""
    if wanted.holds_strings != (values.dtype.kind in "OUS"):
        errors |= dict.fromkeys(rows.tolist(), f"expected {wanted.text}, got {values.dtype}")
    elif wanted.holds_strings or values.dtype == wanted.dtype:
        yield RowGroup(rows, values)
    elif converts(values.dtype, wanted.dtype):
        yield RowGroup(rows, converted(values, wanted.dtype))
    else:
        made, is_same = in_type(values, wanted.dtype)
        if is_same.all():
            yield RowGroup(rows, made)
            return
        lossy = f"{values.dtype} loses something as {wanted.dtype}"
        errors |= dict.fromkeys(rows[~is_same].tolist(), lossy)
        if is_same.any():
            yield RowGroup(rows[is_same], made[is_same])
