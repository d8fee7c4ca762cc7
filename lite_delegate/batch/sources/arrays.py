"""Arrays of numpy in NPY and NPZ files: the first axis is the rows."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...errors import InputError
from ..pyarrow_package import pyarrow
from ..rows.arrow_arrays import arrow_type, as_arrow
from .chunk import Chunk
from .data_source import DataSource, ReadRows
from .pieces import no_columns

ONLY = "array"
"""The name of the column of an NPY file."""


class ArraySource(DataSource):
    """The rows of arrays in NPY files, which are mapped, and NPZ files: each array is a column.

    Members of an NPZ file that are stored without compression are mapped, too; compressed members are read whole by
    each process.
    """

    kind = "NPY"

    @cached_property
    def schema(self) -> Any:
        """One column for each array."""
        arrays = arrays_in(self.files[0])
        return pyarrow().schema([(name, arrow_type(a.dtype, a.shape[1:], name)) for name, a in arrays.items()])

    @property
    def row_bytes(self) -> float:
        """By the first file."""
        return float(sum(a.nbytes / max(len(a), 1) for a in arrays_in(self.files[0]).values()))

    def chunks(self, rows: int) -> Iterator[Chunk]:
        """All rows in chunks of at most ``rows`` rows, which do not cross files."""
        index = 0
        for file in self.files:
            count = self._count(file)
            for start in range(0, count, rows):
                yield Chunk(index, min(rows, count - start), file, start, None)
                index += 1

    def read(self, chunk: Chunk, columns: Sequence[str]) -> ReadRows:
        """The rows of a chunk; mapped arrays are not copied."""
        arrays = arrays_in(chunk.file)
        stop = chunk.first_row + chunk.rows
        found = {name: as_arrow(arrays[name][chunk.first_row : stop]) for name in columns}
        return ReadRows(pyarrow().table(found) if found else no_columns(chunk.rows), {})

    def _count(self, file: str) -> int:
        arrays = arrays_in(file)
        first = {name: (a.dtype, a.shape[1:]) for name, a in arrays_in(self.files[0]).items()}
        found = {name: (a.dtype, a.shape[1:]) for name, a in arrays.items()}
        if first != found:
            raise InputError(f"'{file}' has other arrays than '{self.files[0]}': {found} instead of {first}.")
        lengths = {name: len(a) for name, a in arrays.items()}
        if len(set(lengths.values())) > 1:
            raise InputError(f"The arrays of '{file}' have different numbers of rows: {lengths}.")
        return next(iter(lengths.values()))


def arrays_in(file: str) -> Mapping[str, Array]:
    """The arrays of a file by name, mapped where that is possible.

    Raises:
        InputError: the file is damaged, or an array has no rows or elements of Python.
        OSError: it cannot be read.
    """
    return _arrays_of(file, os.stat(file).st_mtime_ns)


@lru_cache(maxsize=2)
def _arrays_of(file: str, time: int) -> Mapping[str, Array]:
    """The arrays of a file as it is at a time."""
    try:
        arrays = _members(file) if file.lower().endswith(".npz") else {ONLY: np.load(file, mmap_mode="r")}
    except (ValueError, EOFError, zipfile.BadZipFile, KeyError) as e:
        raise InputError(f"'{file}' has no arrays that can be read: {e}") from e
    for name, array in arrays.items():
        if array.ndim == 0:
            raise InputError(f"'{file}': '{name}' is a number, expected an array whose first axis is the rows.")
    if not arrays:
        raise InputError(f"'{file}' has no arrays.")
    return arrays


def _members(file: str) -> dict[str, Array]:
    with zipfile.ZipFile(file) as archive:
        return {info.filename.removesuffix(".npy"): _member(file, archive, info) for info in archive.infolist()}


def _member(file: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Array:
    with archive.open(info) as opened:
        version = np.lib.format.read_magic(opened)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, is_fortran, dtype = read(opened)
        header = opened.tell()
        if info.compress_type == zipfile.ZIP_STORED and not dtype.hasobject and np.prod(shape):
            order: Any = "F" if is_fortran else "C"
            return np.memmap(file, dtype, "r", _start(file, info) + header, shape, order)
    with archive.open(info) as opened:
        return np.lib.format.read_array(opened, allow_pickle=False)


def _start(file: str, info: zipfile.ZipInfo) -> int:
    """The position of a member's first byte: after its local header, whose names have their own lengths."""
    with open(file, "rb") as opened:
        opened.seek(info.header_offset + 26)
        lengths = opened.read(4)
    return info.header_offset + 30 + int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little")
