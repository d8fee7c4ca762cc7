"""Columns whose values stand in the names of folders, ``year=2024/month=1/``, as Hive and Spark write data sets."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from ...errors import InputError
from ..pyarrow_package import pyarrow

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
WHOLE_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})")


def folder_columns(names: Sequence[str]) -> list[dict[str, str | int | None]]:
    """The values of such columns for each file. A column is of whole numbers if all its values are.

    Args:
        names: the paths of the files in their source, with "/".

    Raises:
        InputError: files have different columns of this kind.
    """
    found: list[dict[str, Any]] = [_values(name) for name in names]
    keys = list(found[0])
    for name, values in zip(names, found, strict=True):
        if list(values) != keys:
            raise InputError(f"Folders name different columns: {keys} for '{names[0]}', {list(values)} for '{name}'.")
    for key in keys:
        texts = [values[key] for values in found if values[key] is not None]
        if texts and all(WHOLE_NUMBER.fullmatch(text) for text in texts):
            for values in found:
                values[key] = None if values[key] is None else int(values[key])
    return found


def _values(name: str) -> dict[str, str | None]:
    pairs = [part.partition("=") for part in name.split("/")[:-1]]
    texts = {unquote(key): unquote(text) for key, equals, text in pairs if key and equals}
    return {key: None if text == NO_VALUE else text for key, text in texts.items()}


def folder_fields(values: Sequence[Mapping[str, Any]], taken: Sequence[str]) -> list[Any]:
    """The fields of such columns.

    Args:
        values: for each file.
        taken: the columns that the files have themselves, which are used then.
    """
    pa = pyarrow()
    is_text = {key: any(isinstance(each[key], str) for each in values) for key in values[0]}
    return [pa.field(key, pa.string() if text else pa.int64()) for key, text in is_text.items() if key not in taken]
