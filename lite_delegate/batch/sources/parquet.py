"""Parquet files: chunks are row groups, several small groups together, or slices of a large one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from ...basics.data_class import dataclass
from ...errors import InputError
from ..pyarrow_package import pyarrow
from .chunk import Chunk
from .data_source import DataSource, ReadRows

KEPT_BYTES = 512 * 2**20
"""The most bytes of a large row group that a process keeps for its next slice."""


@dataclass(frozen=True, slots=True)
class _Groups:
    """Row groups ``start`` to ``stop``, exclusive, of a file, without the first ``skipped`` rows."""

    start: int
    stop: int
    skipped: int


class ParquetSource(DataSource):
    """The rows of Parquet files, which have one schema."""

    kind = "Parquet"

    @cached_property
    def schema(self) -> Any:
        """The columns of the first file; the columns of each other file are checked when its chunks are made."""
        return _opened(self.files[0]).schema_arrow

    @property
    def row_bytes(self) -> float:
        """By the first file: its column chunks without compression."""
        facts = _opened(self.files[0]).metadata
        size = sum(facts.row_group(group).total_byte_size for group in range(facts.num_row_groups))
        return float(size / max(facts.num_rows, 1))

    def chunks(self, rows: int) -> Iterator[Chunk]:
        """All rows in chunks of at most ``rows`` rows, which do not cross files."""
        index = 0
        for file in self.files:
            facts = self._checked(file).metadata
            before = 0
            for groups, count in _pieces([facts.row_group(g).num_rows for g in range(facts.num_row_groups)], rows):
                yield Chunk(index, count, file, before, groups)
                index, before = index + 1, before + count

    def read(self, chunk: Chunk, columns: Sequence[str]) -> ReadRows:
        """The rows of a chunk. A damaged file is an InputError that names it."""
        at: _Groups = chunk.place
        try:
            table = _groups_of(chunk.file, at.start, at.stop, tuple(columns))
        except (pyarrow().ArrowException, OSError) as e:
            if isinstance(e, FileNotFoundError):
                raise
            raise InputError(f"'{chunk.file}' cannot be read: {e}") from e
        return ReadRows(table.slice(at.skipped, chunk.rows), {})

    def _checked(self, file: str) -> Any:
        found = _opened(file)
        if not found.schema_arrow.equals(self.schema):
            raise InputError(
                f"'{file}' has other columns than '{self.files[0]}': {_columns(found.schema_arrow)} instead of "
                f"{_columns(self.schema)}."
            )
        return found


def _columns(schema: Any) -> str:
    return ", ".join(f"{field.name} {field.type}" for field in schema)


def _pieces(groups: Sequence[int], rows: int) -> Iterator[tuple[_Groups, int]]:
    """Stretches of row groups with at most ``rows`` rows, and slices of larger row groups."""
    start, count = 0, 0
    for number, size in enumerate(groups):
        if count and count + size > rows:
            yield _Groups(start, number, 0), count
            start, count = number, 0
        if size <= rows:
            count += size
            continue
        for skipped in range(0, size, rows):
            yield _Groups(number, number + 1, skipped), min(rows, size - skipped)
        start = number + 1
    if count:
        yield _Groups(start, len(groups), 0), count


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
    """The row groups that were read last: slices of a large row group follow each other."""

    key: tuple[Any, ...] = ()
    table: Any = None


def _groups_of(file: str, start: int, stop: int, columns: tuple[str, ...]) -> Any:
    key = file, start, stop, columns
    if _LastGroup.key == key:
        return _LastGroup.table
    table = _opened(file).read_row_groups(range(start, stop), columns=list(columns), use_threads=False)
    if table.nbytes <= KEPT_BYTES:
        _LastGroup.key, _LastGroup.table = key, table
    return table
