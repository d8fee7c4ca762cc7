"""The source of files, by their format."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from ...errors import InputError
from .arrays import ArraySource
from .data_source import DataSource
from .parquet import ParquetSource
from .paths import found_files

SOURCES: Mapping[str, Callable[[Sequence[str]], DataSource]] = MappingProxyType(
    {"Parquet": ParquetSource, "NPY": ArraySource, "NPZ": ArraySource}
)
"""The source of each format."""


def open_source(source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> DataSource:
    """The rows of files.

    Args:
        source: as ``found_files`` takes it.

    Raises:
        InputError: as ``found_files``; or the first file cannot be read.
    """
    name, files = found_files(source)
    found = SOURCES[name](files)
    if not len(found.schema.names):
        raise InputError(f"'{files[0]}' has no columns.")
    return found
