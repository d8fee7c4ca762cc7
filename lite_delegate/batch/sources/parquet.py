"""Parquet files: chunks are row groups, several small groups together, or stretches of a large one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from ...errors import InputError
from ..pyarrow_package import pyarrow
from .chunk import Chunk
from .data_source import DamagedChunk, DataSource, ReadRows
from .folder_columns import folder_columns, folder_fields
from .pieces import Blocks, described, is_alike, no_columns, pieces

BATCH_ROWS = 4096
"""The rows that are read at a time of a row group that is larger than a chunk."""


class ParquetSource(DataSource):
    """The rows of Parquet files, which have one schema, and the columns that their folders name."""

    kind = "Parquet"

    @cached_property
    def schema(self) -> Any:
        """The columns of the first file and of the folders; the columns of each other file are checked when its chunks
        are made."""
        found = self._own
        for field in folder_fields(self._folders, found.names):
            found = found.append(field)
        return found

    @cached_property
    def _own(self) -> Any:
        return _opened(self.files[0]).schema_arrow

    @cached_property
    def _folders(self) -> list[dict[str, str | int | None]]:
        return folder_columns(self.names)

    @cached_property
    def row_bytes(self) -> float:
        """By the first file: its column chunks without compression."""
        facts = _opened(self.files[0]).metadata
        size = sum(facts.row_group(group).total_byte_size for group in range(facts.num_row_groups))
        return float(size / max(facts.num_rows, 1))

    def chunks(self, rows: int) -> Iterator[Chunk]:
        """All rows in chunks of at most ``rows`` rows, which do not cross files."""
        index = 0
        for number, file in enumerate(self.files):
            facts = self._checked(file).metadata
            before = 0
            for blocks, count in pieces([facts.row_group(g).num_rows for g in range(facts.num_row_groups)], rows):
                yield Chunk(index, count, file, before, (number, blocks))
                index, before = index + 1, before + count

    def read(self, chunk: Chunk, columns: Sequence[str]) -> ReadRows:
        """The rows of a chunk. A damaged file is an InputError that names it."""
        number, blocks = chunk.place
        of_folders = {field.name: field for field in self.schema if field.name not in self._own.names}
        own = [name for name in columns if name not in of_folders]
        try:
            table = _rows_of(chunk, blocks, own) if own else no_columns(chunk.rows)
        except (pyarrow().ArrowException, OSError) as e:
            if isinstance(e, FileNotFoundError):
                raise
            raise DamagedChunk.of(chunk.file, e) from e
        if table.num_rows != chunk.rows:
            raise InputError(f"'{chunk.file}' has changed: it has no {chunk.rows} rows from {chunk.first_row} on.")
        for name in columns:
            if name in of_folders:
                value = pyarrow().scalar(self._folders[number][name], of_folders[name].type)
                table = table.append_column(of_folders[name], pyarrow().repeat(value, chunk.rows))
        return ReadRows(table.select(list(columns)) if columns else table, {})

    def _checked(self, file: str) -> Any:
        found = _opened(file)
        if not is_alike(found.schema_arrow, self._own):
            raise InputError(
                f"'{file}' has other columns than '{self.files[0]}': {described(found.schema_arrow)} instead of "
                f"{described(self._own)}."
            )
        return found


def _opened(file: str) -> Any:
    try:
        from pyarrow import parquet
    except ImportError:
        pyarrow()
        raise
    try:
        return parquet.ParquetFile(file, memory_map=True)
    except (pyarrow().ArrowException, OSError) as e:
        if isinstance(e, FileNotFoundError):
            raise
        raise InputError(f"'{file}' is no Parquet file that can be read: {e}") from e


class _LastGroup:
    """A row group that is larger than a chunk, as far as it was read: its chunks follow each other."""

    key: tuple[Any, ...] = ()
    batches: Iterator[Any]
    at: int
    left: Any


def _rows_of(chunk: Chunk, blocks: Blocks, columns: Sequence[str]) -> Any:
    file = _opened(chunk.file)
    groups = range(blocks.start, blocks.stop)
    if len(groups) > 1 or file.metadata.row_group(blocks.start).num_rows <= chunk.rows:
        return file.read_row_groups(groups, columns=list(columns), use_threads=False)
    key = chunk.file, os.stat(chunk.file).st_mtime_ns, blocks.start, tuple(columns)
    last = _LastGroup
    if last.key != key or last.at > blocks.skipped:
        last.batches = file.iter_batches(BATCH_ROWS, groups, list(columns), use_threads=False)
        last.at, last.left = 0, None
    last.key = ()  # until the rows are there: an error ends the iterator
    table = _taken(last, blocks.skipped, chunk.rows)
    last.key = key
    return table


def _taken(last: type[_LastGroup], skipped: int, rows: int) -> Any:
    """The rows of a group from ``skipped`` on; rows before are passed over, rows behind are kept for the next chunk."""
    found: list[Any] = []
    while rows > 0:
        batch = last.left if last.left is not None else next(last.batches, None)
        last.left = None
        if batch is None:
            break
        passed = min(max(skipped - last.at, 0), batch.num_rows)
        part = batch.slice(passed, rows)
        last.at += passed + part.num_rows
        if passed + part.num_rows < batch.num_rows:
            last.left = batch.slice(passed + part.num_rows)
        if part.num_rows:
            found.append(part)
            rows -= part.num_rows
    return pyarrow().Table.from_batches(found) if found else no_columns(0)
