"""CSV and TSV files of numbers and texts: chunks are stretches of bytes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...basics.similar import did_you_mean
from ...errors import InputError
from ..pyarrow_package import pyarrow
from .chunk import Chunk
from .csv_header import CsvHeader, read_header
from .csv_rows import all_rows, row_ends
from .csv_values import CsvColumns, first_types, parsed
from .data_source import DataSource, ReadRows
from .paths import FoundFiles
from .pieces import no_columns

FIRST_BYTES = 2**20
"""The bytes of the first file that columns get their types from."""


class CsvSource(DataSource):
    """The rows of CSV files (TSV by the suffix), whose text is UTF-8.

    Values may be quoted, and have line ends and doubled quotes then. Empty lines are no rows. The first line has the
    names of the columns, unless all of its values are numbers: then it is a row, and columns are called ``f0``, ``f1``.
    The first block of the first file fixes the types of the columns. A line with another number of values, and a value
    that is not of its column's type, are errors of their row.
    """

    kind = "CSV"

    def __init__(
        self, found: FoundFiles, types: Mapping[str, str] | None = None, numbers: Mapping[str, bool] | None = None
    ) -> None:
        super().__init__(found)
        self._given, self._numbers = types or {}, numbers or {}

    def with_types(self, types: Mapping[str, str]) -> CsvSource:
        """The source with these types of columns, as Arrow writes them.

        Raises:
            InputError: there is no such column or type.
        """
        names = self._header.names
        for name, text in types.items():
            if name not in names:
                raise InputError(
                    f"--type {name}={text}: the source has no such column{did_you_mean(name, names) or '.'}"
                )
            try:
                pyarrow().type_for_alias(text)
            except ValueError as e:
                raise InputError(f"--type {name}={text}: Arrow has no such type; say int64, float32, string.") from e
        return CsvSource(self._found, types, self._numbers)

    def with_numbers(self, columns: Mapping[str, bool]) -> CsvSource:
        """The source where columns are numbers, if their first values say nothing else."""
        return CsvSource(self._found, self._given, columns)

    @property
    def _found(self) -> FoundFiles:
        return FoundFiles(self.kind, self.files, self.names)

    @cached_property
    def schema(self) -> Any:
        """The columns of the first file."""
        pa = pyarrow()
        given = {name: pa.type_for_alias(text) for name, text in self._given.items()}
        columns = CsvColumns(self._header.names, self._header.delimiter, given)
        return first_types(_first_rows(self.files[0], self._header), columns, self._numbers)

    @property
    def facts(self) -> Mapping[str, Any]:
        """With the types of the columns, which are not in the files."""
        return {**super().facts, "types": {field.name: str(field.type) for field in self.schema}}

    @cached_property
    def _header(self) -> CsvHeader:
        return read_header(self.files[0], _delimiter(self.files[0]))

    @cached_property
    def row_bytes(self) -> float:
        """By the first block of the first file."""
        data = np.frombuffer(_first_rows(self.files[0], self._header), np.uint8)
        return len(data) / max(len(all_rows(data, ord(self._header.delimiter))[0]), 1)

    def chunks(self, rows: int) -> Iterator[Chunk]:
        """All rows in chunks of at most ``rows`` rows, which do not cross files. The files are read once for that."""
        index = 0
        for file in self.files:
            header = read_header(file, _delimiter(file))
            if header.names != self._header.names:
                raise InputError(
                    f"'{file}' has other columns than '{self.files[0]}': {', '.join(header.names)} instead of "
                    f"{', '.join(self._header.names)}."
                )
            before = 0
            for start, stop, count in _stretches(file, header, rows):
                yield Chunk(index, count, file, before, (start, stop))
                index, before = index + 1, before + count

    def read(self, chunk: Chunk, columns: Sequence[str]) -> ReadRows:
        """The rows of a chunk."""
        start, stop = chunk.place
        data = np.fromfile(chunk.file, np.uint8, stop - start, offset=start)
        starts, ends, is_open = all_rows(data, ord(_delimiter(chunk.file)))
        if len(starts) != chunk.rows:
            raise InputError(f"'{chunk.file}' has changed: {len(starts)} rows in place of {chunk.where}.")
        if not columns:
            return ReadRows(no_columns(chunk.rows), {})
        types = {name: self.schema.field(name).type for name in columns}
        wanted = CsvColumns(self._header.names, _delimiter(chunk.file), types)
        return ReadRows(*parsed(data, starts, ends, is_open, wanted))


def _delimiter(file: str) -> str:
    return "\t" if Path(file).suffix.lower() == ".tsv" else ","


def _first_rows(file: str, header: CsvHeader) -> bytes:
    """Whole rows at the start of a file; more than a block if the first row is longer."""
    size = os.path.getsize(file)
    count = FIRST_BYTES
    while True:
        data = np.fromfile(file, np.uint8, min(count, size - header.size), offset=header.size)
        _, ends, is_open = all_rows(data, ord(header.delimiter))
        if header.size + len(data) >= size:
            return data.tobytes()
        whole = ends[:-1][~is_open[:-1]]  # the last row may be cut off
        if len(whole) and not is_open.any():
            return data[: whole[-1]].tobytes()
        count *= 4


def _stretches(file: str, header: CsvHeader, rows: int) -> Iterator[tuple[int, int, int]]:
    """The first byte, the byte behind, and the rows of each chunk."""
    if os.path.getsize(file) == header.size:
        return
    data: Array = np.memmap(file, np.uint8, "r", offset=0)[header.size :]
    start, stop, count = -1, 0, 0
    for found in row_ends(data, ord(header.delimiter)):
        at = 0
        while at < len(found.starts):
            start = int(found.starts[at]) if count == 0 else start
            taken = min(rows - count, len(found.starts) - at)
            at, count = at + taken, count + taken
            stop = int(found.ends[at - 1])
            if count == rows:
                yield header.size + start, header.size + stop, count
                count = 0
    if count:
        yield header.size + start, header.size + stop, count
