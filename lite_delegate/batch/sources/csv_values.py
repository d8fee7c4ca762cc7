"""The values of rows of CSV text, by the types of their columns; a row that cannot be read is an error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...basics.data_class import dataclass
from ..pyarrow_package import pyarrow

NO_VALUES = ("", "NA", "N/A", "#N/A", "null", "NULL")
"""Texts that stand for no value in a column that is not of texts."""
NUMBER = r"(?i)^(0x[0-9a-f]+|[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?|nan(\(.*\))?))$"
"""Texts that may be numbers."""
SHOWN = 40
"""The characters of a value that a reason shows."""


@dataclass(frozen=True, slots=True)
class CsvColumns:
    """How values are read.

    Attributes:
        names: of all columns, in order.
        delimiter: between values.
        types: the ``pyarrow.DataType`` of each column that is read; empty for all columns, whose types are found.
    """

    names: tuple[str, ...]
    delimiter: str
    types: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _BadLine:
    """A line with another number of values: its number among the rows, and the values it has."""

    row: int
    values: int


def first_types(data: bytes, columns: CsvColumns, numbers: Mapping[str, bool]) -> Any:
    """The types of all columns by their first values.

    Args:
        data: whole rows.
        columns: with the types that are given.
        numbers: the columns that become numbers if a value of them is one, and whether these may have fractions.
    """
    pa = pyarrow()
    if data:
        found, _ = _read(data, columns, columns.names, {})
    else:
        found = pa.table({name: pa.nulls(0) for name in columns.names})
    fields = []
    for name in columns.names:
        column = found.column(name)
        kind = columns.types.get(name, column.type)
        if name not in columns.types and name in numbers:
            kind = _number_type(column, has_fractions=numbers[name])
        if pa.types.is_null(kind) or pa.types.is_binary(kind):
            kind = pa.string()
        fields.append(pa.field(name, kind))
    return pa.schema(fields)


def _number_type(column: Any, *, has_fractions: bool) -> Any:
    pa, types = pyarrow(), pyarrow().types
    kind = column.type
    wanted = pa.float64() if has_fractions else pa.int64()
    if types.is_null(kind) or (types.is_integer(kind) and has_fractions):
        return wanted
    if types.is_string(kind) or types.is_binary(kind):
        _, bad = _in_type(column.combine_chunks(), wanted)
        return kind if len(bad) + column.null_count >= len(column) else wanted
    return kind


def parsed(data: Array, starts: Array, ends: Array, is_open: Array, columns: CsvColumns) -> tuple[Any, dict[int, str]]:
    """The rows as a table, and the reason for each row that cannot be read; its values are missing.

    Args:
        data: the text, of uint8.
        starts, ends: of the rows in it.
        is_open: whether a quote in a row is not closed.
        columns: the columns that are read.
    """
    if not is_open.any():
        try:
            table, bad = _read(data.tobytes(), columns, tuple(columns.types))
            if not bad and table.num_rows == len(starts):
                return table, {}
        except pyarrow().ArrowInvalid:
            pass
    errors: dict[int, str] = {}
    texts = _texts(data, starts, ends, is_open, columns, 0, errors)
    found: dict[str, Any] = {}
    for name, kind in columns.types.items():
        found[name], refused = _in_type(texts.column(name).combine_chunks(), kind)
        for row, text in zip(refused, texts.column(name).take(refused).to_pylist() if refused else (), strict=True):
            errors.setdefault(row, f"column '{name}' has '{text[:SHOWN].decode(errors='replace')}', expected {kind}")
    return pyarrow().table(found), errors


def _texts(
    data: Array, starts: Array, ends: Array, is_open: Array, columns: CsvColumns, first: int, errors: dict[int, str]
) -> Any:
    """The values of rows as bytes; a row that has no such values is an error.

    Rows whose number is not the reader's (a carriage return or a quote is where none may be) are looked at in halves.
    """
    kinds = dict.fromkeys(columns.types, pyarrow().binary())
    if not is_open.any():
        table, bad = _read(data[starts[0] : ends[-1]].tobytes(), columns, tuple(kinds), kinds)
        if table.num_rows + len(bad) == len(starts):
            for each in bad:
                errors[first + each.row] = f"the line has {each.values} values, expected {len(columns.names)}"
            return _with_gaps(table, [each.row for each in bad], len(starts))
    if len(starts) == 1:
        reason = "a quote is not closed" if is_open[0] else "the line has a carriage return or a quote out of place"
        errors[first] = reason
        pa = pyarrow()
        return pa.table({name: pa.nulls(1, kind) for name, kind in kinds.items()})
    middle = len(starts) // 2
    halves = (slice(None, middle), first), (slice(middle, None), first + middle)
    return pyarrow().concat_tables(
        [_texts(data, starts[at], ends[at], is_open[at], columns, number, errors) for at, number in halves]
    )


def _with_gaps(table: Any, missing: Sequence[int], rows: int) -> Any:
    if not missing:
        return table
    is_missing = np.zeros(rows, np.bool_)
    is_missing[list(missing)] = True
    at = np.cumsum(~is_missing) - 1
    return table.take(pyarrow().array(np.maximum(at, 0), mask=is_missing))


def _read(
    data: bytes, columns: CsvColumns, names: Sequence[str], types: Mapping[str, Any] | None = None
) -> tuple[Any, list[_BadLine]]:
    from pyarrow import csv

    bad: list[_BadLine] = []
    table = csv.read_csv(
        pyarrow().BufferReader(data),
        csv.ReadOptions(use_threads=False, column_names=list(columns.names), block_size=max(len(data), 1) + 1),
        csv.ParseOptions(
            delimiter=columns.delimiter, newlines_in_values=True, invalid_row_handler=partial(_skipped, bad)
        ),
        csv.ConvertOptions(
            column_types=columns.types if types is None else types,
            include_columns=list(names),
            null_values=NO_VALUES,
            strings_can_be_null=False,
        ),
    )
    return table, bad


def _skipped(bad: list[_BadLine], line: Any) -> str:
    bad.append(_BadLine(line.number - 1, line.actual_columns))
    return "skip"


def _in_type(texts: Any, kind: Any) -> tuple[Any, list[int]]:
    """Bytes in a column's type, and the rows of values that are not of this type, which are missing then."""
    from pyarrow import compute

    pa = pyarrow()
    texts, bad = _cast(texts, pa.string())
    if pa.types.is_string(kind):
        return texts, bad
    trimmed = compute.utf8_trim_whitespace(texts)
    left_out = compute.is_in(trimmed, pa.array(NO_VALUES))
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):  # most bad values are found at once
        is_other = compute.invert(compute.match_substring_regex(trimmed, NUMBER))
        is_other = compute.fill_null(compute.and_not(is_other, left_out), False)
        bad = sorted({*bad, *np.flatnonzero(is_other).tolist()})
        left_out = compute.or_(left_out, is_other)
    found, refused = _cast(compute.if_else(left_out, pa.scalar(None, pa.string()), trimmed), kind)
    return found, sorted({*bad, *refused})


def _cast(values: Any, kind: Any) -> tuple[Any, list[int]]:
    """Values in another type; values that do not fit are found by halves."""
    bad: list[int] = []
    found = _cast_half(values, kind, 0, bad)
    pa = pyarrow()
    return (pa.concat_arrays(found) if found else pa.nulls(0, kind)), bad


def _cast_half(values: Any, kind: Any, first: int, bad: list[int]) -> list[Any]:
    pa = pyarrow()
    try:
        return [values.cast(kind)]
    except pa.ArrowException:
        if len(values) == 1:
            bad.append(first)
            return [pa.nulls(1, kind)]
    middle = len(values) // 2
    return [
        *_cast_half(values[:middle], kind, first, bad),
        *_cast_half(values[middle:], kind, first + middle, bad),
    ]
