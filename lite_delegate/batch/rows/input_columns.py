"""The columns of inputs: as the user maps them, else by names, else the only ones that fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from ...basics.similar import did_you_mean
from ...errors import InputError
from ..pyarrow_package import pyarrow
from .column_values import is_list
from .row_type import RowType


def input_columns(
    inputs: Sequence[RowType], schema: Any, given: Mapping[str, str], *, takes_bytes: bool = False
) -> dict[str, tuple[str, ...]]:
    """The columns of each input.

    1. The columns that the user maps: one name; several names or patterns with a comma between, whose numbers are put
       side by side.
    2. The column of the input's name.
    3. For the only input that is left: the only column that may fit.

    Args:
        inputs: the types of the rows.
        schema: of the source, a ``pyarrow.Schema``.
        given: columns by input.
        takes_bytes: whether columns of bytes fit any input: they are decoded.

    Raises:
        InputError: an input or a column is not known, or an input has no column that fits.
    """
    names = [wanted.name for wanted in inputs]
    unknown = next((name for name in given if name not in names), None)
    if unknown is not None:
        known = ", ".join(f"'{name}'" for name in names)
        raise InputError(f"--map {unknown}=...: the model's inputs are {known}{did_you_mean(unknown, names)}.")
    found = {name: _named(name, text, schema) for name, text in given.items()}
    found |= {name: (name,) for name in names if name not in found and name in schema.names}
    left = [wanted for wanted in inputs if wanted.name not in found]
    if len(left) == 1:
        free = [field for field in schema if not any(field.name in used for used in found.values())]
        fitting = [field.name for field in free if why_not(field.type, left[0], takes_bytes=takes_bytes) == ""]
        if len(fitting) == 1:
            found[left.pop().name] = (fitting[0],)
    if left:
        known = ", ".join(f"'{field.name}' ({field.type})" for field in schema)
        raise InputError(
            f"Input '{left[0].name}' ({left[0].text}) has no column of its name; say --map {left[0].name}=COLUMN with "
            f"one of {known}."
        )
    for wanted in inputs:
        _check(wanted, found[wanted.name], schema, takes_bytes)
    return found


def _named(name: str, text: str, schema: Any) -> tuple[str, ...]:
    if text in schema.names:
        return (text,)
    columns: list[str] = []
    for each in text.split(","):
        matching = [column for column in schema.names if column == each or fnmatchcase(column, each)]
        if not matching:
            known = ", ".join(f"'{column}'" for column in schema.names[:20])
            raise InputError(
                f"--map {name}={text}: the source has no column '{each}'{did_you_mean(each, schema.names)}; it has "
                f"{known}."
            )
        columns += matching
    return tuple(dict.fromkeys(columns))


def _check(wanted: RowType, columns: Sequence[str], schema: Any, takes_bytes: bool) -> None:
    for column in columns:
        kind = schema.field(column).type
        one = wanted if len(columns) == 1 else RowType(wanted.name, wanted.dtype, ())
        reason = why_not(kind, one, takes_bytes=takes_bytes)
        if reason:
            raise InputError(f"Input '{wanted.name}' cannot be read from column '{column}': {reason}.")
    if len(columns) > 1 and wanted.shape_of(len(columns)) is None:
        raise InputError(f"Input '{wanted.name}' takes {wanted.text}, got {len(columns)} columns.")


def why_not(kind: Any, wanted: RowType, *, takes_bytes: bool = False) -> str:
    """Why no value of a column's type fits an input; "" where some may.

    Args:
        kind: the ``pyarrow.DataType``.
        wanted: the type of a row.
        takes_bytes: as for ``input_columns``.
    """
    types = pyarrow().types
    shape: tuple[int, ...] | None = ()
    if isinstance(kind, pyarrow().BaseExtensionType):
        shape = tuple(getattr(kind, "shape", ()))
        kind = kind.value_type if shape else kind.storage_type
    if types.is_dictionary(kind):
        kind = kind.value_type
    if _is_bytes(kind):
        if takes_bytes:
            return ""
        if wanted.holds_strings:
            return f"it has {kind}, expected strings"
        if types.is_fixed_size_binary(kind):
            count, rest = divmod(kind.byte_width, wanted.dtype.itemsize)
            if rest or wanted.shape_of(count) is None:
                return f"it has {kind.byte_width} bytes a row, expected {wanted.text}"
        return ""
    while is_list(kind):
        shape = (*shape, kind.list_size) if types.is_fixed_size_list(kind) and shape is not None else None
        kind = kind.value_type
    if not _fits_elements(kind, wanted):
        return f"it has {kind}, expected {wanted.text}"
    if shape is not None:
        size = 1
        for dim in shape:
            size *= dim
        if wanted.shape_of(size, shape or None) is None:
            return f"a row has {list(shape)}, expected {wanted.text}"
    return ""


def _is_bytes(kind: Any) -> bool:
    types = pyarrow().types
    return bool(types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind))


def _fits_elements(kind: Any, wanted: RowType) -> bool:
    types = pyarrow().types
    if wanted.holds_strings:
        return bool(types.is_string(kind) or types.is_large_string(kind))
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind))
