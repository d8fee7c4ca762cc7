"""Folders of images: each file is a row."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from ..pyarrow_package import pyarrow
from .chunk import Chunk
from .data_source import DataSource, ReadRows
from .pieces import no_columns

FILE, IMAGE = "file", "image"
"""The columns: the path in the folder, and the bytes of the file."""
SAMPLED = 100
"""The files whose sizes are looked at."""


class ImageSource(DataSource):
    """The rows of image files. The names of files travel with the chunks."""

    kind = "images"

    def __getstate__(self) -> dict[str, Any]:
        """Without the files, which may be millions: chunks have their own."""
        return {"files": (), "names": ()}

    @property
    def schema(self) -> Any:
        """The two columns."""
        pa = pyarrow()
        return pa.schema([(FILE, pa.string()), (IMAGE, pa.binary())])

    @property
    def row_bytes(self) -> float:
        """By some of the files."""
        some = self.files[:: max(1, len(self.files) // SAMPLED)]
        return sum(os.path.getsize(file) for file in some) / len(some)

    def chunks(self, rows: int) -> Iterator[Chunk]:
        """All files in chunks of at most ``rows`` files."""
        for index, start in enumerate(range(0, len(self.files), rows)):
            paths = self.files[start : start + rows]
            folder = os.path.commonpath([os.path.dirname(os.path.abspath(path)) for path in paths])
            names = self.names[start : start + rows]
            yield Chunk(index, len(paths), folder, start, (tuple(map(os.path.abspath, paths)), names))

    def read(self, chunk: Chunk, columns: Sequence[str]) -> ReadRows:
        """The bytes of the files, which are read only where they are asked for; a file that cannot be read is an
        error."""
        pa = pyarrow()
        paths, names = chunk.place
        errors: dict[int, str] = {}
        found: dict[str, Any] = {}
        if FILE in columns:
            found[FILE] = pa.array([os.fsencode(n).decode(errors="replace") for n in names], pa.string())
        if IMAGE in columns:
            found[IMAGE] = pa.array([_content(path, row, errors) for row, path in enumerate(paths)], pa.binary())
        return ReadRows(pa.table(found) if found else no_columns(chunk.rows), errors)


def _content(path: str, row: int, errors: dict[int, str]) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as e:
        errors[row] = f"the file cannot be read: {e.strerror}"
        return None
