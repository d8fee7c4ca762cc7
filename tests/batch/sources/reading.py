"""All rows of a source, chunk by chunk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lite_delegate.batch.sources.data_source import DataSource


def all_rows_of(
    source: DataSource, rows: int, columns: Sequence[str] | None = None
) -> tuple[list[Any], dict[int, str]]:
    """The rows as dicts, and the reasons by row; chunks follow each other and have at most ``rows`` rows."""
    found: list[Any] = []
    errors: dict[int, str] = {}
    for index, chunk in enumerate(source.chunks(rows)):
        assert chunk.index == index
        assert 0 < chunk.rows <= rows
        read = source.read(chunk, source.schema.names if columns is None else columns)
        assert read.table.num_rows == chunk.rows
        errors |= {len(found) + row: reason for row, reason in read.errors.items()}
        found += read.table.to_pylist()
    return found, errors
