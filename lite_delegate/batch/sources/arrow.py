"""Arrow's IPC files and streams, which are mapped: chunks are record batches, or stretches of large ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from ...errors import InputError
from ..pyarrow_package import pyarrow
from .chunk import Chunk
from .data_source import DamagedChunk, DataSource, ReadRows
from .pieces import Blocks, described, is_alike, no_columns, pieces

MAGIC = b"ARROW1"
"""The first bytes of a file; a stream begins with its first message."""


class ArrowSource(DataSource):
    """The rows of Arrow files (Feather, too) and streams, which have one schema."""

    kind = "Arrow"

    @cached_property
    def schema(self) -> Any:
        """The columns of the first file."""
        return _Batches(self.files[0], None).schema

    @cached_property
    def row_bytes(self) -> float:
        """By the first file."""
        import os

        return os.path.getsize(self.files[0]) / max(sum(self._sizes(self.files[0])), 1)

    def chunks(self, rows: int) -> Iterator[Chunk]:
        """All rows in chunks of at most ``rows`` rows, which do not cross files."""
        index = 0
        for file in self.files:
            before = 0
            for blocks, count in pieces(self._sizes(file), rows):
                yield Chunk(index, count, file, before, blocks)
                index, before = index + 1, before + count

    def read(self, chunk: Chunk, columns: Sequence[str]) -> ReadRows:
        """The rows of a chunk; columns of mapped files are not copied unless they are compressed."""
        if not columns:
            return ReadRows(no_columns(chunk.rows), {})
        blocks: Blocks = chunk.place
        try:
            found = _batches_of(chunk.file, tuple(columns)).between(blocks.start, blocks.stop)
            table = pyarrow().Table.from_batches(found).select(list(columns))
            table.validate()
        except FileNotFoundError:
            raise
        except (pyarrow().ArrowException, OSError, KeyError) as e:
            raise DamagedChunk.of(chunk.file, e) from e
        table = table.slice(blocks.skipped, chunk.rows)
        if table.num_rows != chunk.rows:
            raise InputError(f"'{chunk.file}' has changed: it has no {chunk.rows} rows from {chunk.first_row} on.")
        return ReadRows(table, {})

    def _sizes(self, file: str) -> list[int]:
        batches = _Batches(file, ())
        if not is_alike(batches.schema, self.schema):
            raise InputError(
                f"'{file}' has other columns than '{self.files[0]}': {described(batches.schema)} instead of "
                f"{described(self.schema)}."
            )
        try:
            return list(batches.sizes())
        except (pyarrow().ArrowException, OSError) as e:
            raise _unreadable(file, e) from e


class _Batches:
    """The record batches of a mapped file. A stream can be read forwards only: it is opened again to go back.

    Args:
        file: the path.
        columns: that are read; (): any one; None: all.
    """

    def __init__(self, file: str, columns: Sequence[str] | None) -> None:
        self._file = file
        self._opened = self._open(None)
        self.schema = self._opened.schema
        if columns is not None and len(self.schema):
            self._fields = [self.schema.get_field_index(name) for name in columns] or [_smallest(self.schema)]
            self._opened = self._open(self._fields)
        self._next = 0

    def _open(self, fields: Sequence[int] | None) -> Any:
        pa = pyarrow()
        try:
            mapped = pa.memory_map(self._file)
            options = pa.ipc.IpcReadOptions(included_fields=fields, use_threads=False)
            is_file = mapped.read(len(MAGIC)) == MAGIC
            mapped.seek(0)
            return (pa.ipc.open_file if is_file else pa.ipc.open_stream)(mapped, options=options)
        except (pa.ArrowException, OSError, EOFError) as e:
            raise _unreadable(self._file, e) from e

    def sizes(self) -> Iterator[int]:
        """The rows of each batch."""
        if hasattr(self._opened, "get_batch"):
            yield from (self._opened.get_batch(number).num_rows for number in range(self._opened.num_record_batches))
        else:
            yield from (batch.num_rows for batch in self._opened)

    def between(self, start: int, stop: int) -> list[Any]:
        """The batches ``start`` to ``stop``, exclusive; a stream has them only in ascending order."""
        if hasattr(self._opened, "get_batch"):
            return [self._opened.get_batch(number) for number in range(start, stop)]
        if start < self._next:
            self._opened, self._next = self._open(self._fields), 0
        found: list[Any] = []
        while self._next < stop:
            try:
                batch = self._opened.read_next_batch()
            except StopIteration:
                raise InputError(f"'{self._file}' has changed: it has no {stop} record batches.") from None
            if self._next >= start:
                found.append(batch)
            self._next += 1
        return found


class _Open:
    """The batches that were read last: chunks follow each other."""

    key: tuple[Any, ...] = ()
    batches: _Batches


def _batches_of(file: str, columns: tuple[str, ...]) -> _Batches:
    import os

    key = file, columns, os.stat(file).st_mtime_ns
    if _Open.key != key:
        _Open.batches = _Batches(file, columns)
        _Open.key = key
    return _Open.batches


def _smallest(schema: Any) -> int:
    """The column whose values are quickest to unpack."""

    def width(number: int) -> int:
        try:
            return int(schema.field(number).type.bit_width)
        except ValueError:
            return 2**31

    return min(range(len(schema)), key=width)


def _unreadable(file: str, error: Exception) -> Exception:
    if isinstance(error, FileNotFoundError):
        return error
    return InputError(f"'{file}' is no Arrow file or stream that can be read: {error}")
