"""The columns of inputs: as the user maps them, else by names, else the only ones that fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from math import prod
from typing import Any

from ...basics.counted import counted
from ...basics.similar import did_you_mean
from ...errors import InputError
from ..pyarrow_package import pyarrow
from .column_values import is_bytes
from .list_shapes import is_list
from .row_type import RowType


def input_columns(inputs: Sequence[RowType], schema: Any, given: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The columns of each input.

    1. The columns that the user maps: one name; several names or patterns with a comma between, whose numbers are put
       side by side.
    2. The column of the input's name.
    3. For the only input that is left: the only column that may fit.

    Args:
        inputs: the types of the rows.
        schema: of the source, a ``pyarrow.Schema``.
        given: columns by input.

    Raises:
        InputError: an input or a column is not known, or an input has no column that fits.
    """
    found = named_columns([wanted.name for wanted in inputs], schema, given)
    left = [wanted for wanted in inputs if wanted.name not in found]
    if len(left) == 1:
        free = [field for field in schema if not any(field.name in used for used in found.values())]
        fitting = [field.name for field in free if why_not(field.type, left[0]) == ""]
        if len(fitting) == 1:
            found[left.pop().name] = (fitting[0],)
    if left:
        known = ", ".join(f"'{field.name}' ({field.type})" for field in schema)
        raise InputError(
            f"Input '{left[0].name}' ({left[0].text}) has no column of its name; say --map {left[0].name}=COLUMN with "
            f"one of {known}."
        )
    for wanted in inputs:
        _check(wanted, found[wanted.name], schema)
    return found


def named_columns(inputs: Sequence[str], schema: Any, given: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The columns that the user maps, and the columns that have the name of an input; types are not looked at.

    Raises:
        InputError: an input or a column is not known.
    """
    unknown = next((name for name in given if name not in inputs), None)
    if unknown is not None:
        known = ", ".join(f"'{name}'" for name in inputs)
        raise InputError(f"--map {unknown}=...: the inputs from rows are {known}{did_you_mean(unknown, inputs) or '.'}")
    found = {name: _named(name, text, schema) for name, text in given.items()}
    return found | {name: (name,) for name in inputs if name not in found and name in schema.names}


def _named(name: str, text: str, schema: Any) -> tuple[str, ...]:
    if text in schema.names:
        return (text,)
    columns: list[str] = []
    for each in text.split(","):
        matching = [column for column in schema.names if column == each or fnmatchcase(column, each)]
        if not matching:
            known = ", ".join(f"'{column}'" for column in schema.names[:20])
            raise InputError(
                f"--map {name}={text}: the source has no column '{each}'{did_you_mean(each, schema.names) or '.'} "
                f"It has {known}."
            )
        columns += matching
    return tuple(dict.fromkeys(columns))


def _check(wanted: RowType, columns: Sequence[str], schema: Any) -> None:
    for column in columns:
        kind = schema.field(column).type
        one = wanted if len(columns) == 1 else RowType(wanted.name, wanted.dtype, ())
        reason = why_not(kind, one)
        if reason:
            raise InputError(f"Input '{wanted.name}' cannot be read from column '{column}': {reason}.")
    if len(columns) > 1 and wanted.shape_of(len(columns)) is None:
        raise InputError(f"Input '{wanted.name}' takes {wanted.text}, got {len(columns)} columns.")


def why_not(kind: Any, wanted: RowType) -> str:
    """Why no value of a column's type fits an input; "" where some may.

    Args:
        kind: the ``pyarrow.DataType``.
        wanted: the type of a row.
    """
    types = pyarrow().types
    shape: tuple[int, ...] | None = ()
    if isinstance(kind, pyarrow().BaseExtensionType):
        if getattr(kind, "permutation", None) not in (None, list(range(len(getattr(kind, "shape", ()))))):
            return f"it has tensors with permuted dimensions ({kind})"
        shape = tuple(getattr(kind, "shape", ()))
        kind = kind.value_type if shape else kind.storage_type
    if types.is_dictionary(kind):
        kind = kind.value_type
    if holds_images(kind):
        return "it has encoded images; say --preprocess FILE.toml"
    if is_shaped(kind):
        return _why_not_element(kind.field("data").type.value_type, wanted)
    if is_bytes(kind):
        return _why_not_bytes(kind, wanted)
    while is_list(kind):
        shape = (*shape, kind.list_size) if types.is_fixed_size_list(kind) and shape is not None else None
        kind = kind.value_type
    if reason := _why_not_element(kind, wanted):
        return reason
    if shape is not None and wanted.shape_of(prod(shape), shape or None) is None:
        return f"a row has {list(shape)}, expected {wanted.text}"
    return ""


def holds_images(kind: Any) -> bool:
    """Whether a type of Arrow is a struct of a file's bytes and its path, as data sets of Hugging Face have images."""
    return bool(pyarrow().types.is_struct(kind) and _fields(kind) >= {"bytes"} and is_bytes(kind.field("bytes").type))


def is_shaped(kind: Any) -> bool:
    """Whether a type of Arrow is a struct of a tensor's elements and its shape, as parts of a job have it."""
    if not pyarrow().types.is_struct(kind) or _fields(kind) != {"data", "shape"}:
        return False
    data, shape = kind.field("data").type, kind.field("shape").type
    return is_list(data) and is_list(shape) and pyarrow().types.is_integer(shape.value_type)


def _fields(kind: Any) -> set[str]:
    return {kind.field(number).name for number in range(kind.num_fields)}


def _why_not_bytes(kind: Any, wanted: RowType) -> str:
    if wanted.holds_strings:
        return f"it has {kind}, expected strings"
    if pyarrow().types.is_fixed_size_binary(kind):
        count, rest = divmod(kind.byte_width, wanted.dtype.itemsize)
        if rest or wanted.shape_of(count) is None:
            return f"it has {counted(kind.byte_width, 'byte')} a row, expected {wanted.text}"
    return ""


def _why_not_element(kind: Any, wanted: RowType) -> str:
    types = pyarrow().types
    if types.is_dictionary(kind):
        kind = kind.value_type
    if wanted.holds_strings:
        fits = types.is_string(kind) or types.is_large_string(kind)
    else:
        fits = types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind)
    return "" if fits else f"it has {kind}, expected {wanted.text}"
