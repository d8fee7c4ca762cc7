"""The source of files, by their format."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from ...errors import InputError
from .arrays import ArraySource
from .arrow import ArrowSource
from .csv import CsvSource
from .data_source import DataSource
from .images import ImageSource
from .parquet import ParquetSource
from .paths import FoundFiles, found_files

SOURCES: Mapping[str, Callable[[FoundFiles], DataSource]] = MappingProxyType(
    {
        "Parquet": ParquetSource,
        "Arrow": ArrowSource,
        "NPY": ArraySource,
        "CSV": CsvSource,
        "images": ImageSource,
    }
)
"""The source of each format."""


def open_source(
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], types: Mapping[str, str] = MappingProxyType({})
) -> DataSource:
    """The rows of files.

    Args:
        source: as ``found_files`` takes it.
        types: the types of columns of CSV files by name, as Arrow writes them: "float32", "int64", "string".

    Raises:
        InputError: as ``found_files``; the first file cannot be read; or ``types`` does not fit the files.
    """
    found = found_files(source)
    opened = SOURCES[found.format](found)
    if types and not isinstance(opened, CsvSource):
        raise InputError(f"--type is for CSV; the columns of {opened.kind} have types of their own.")
    if isinstance(opened, CsvSource):
        opened = opened.with_types(types)
    if not len(opened.schema.names):
        raise InputError(f"'{found.paths[0]}' has no columns.")
    return opened
