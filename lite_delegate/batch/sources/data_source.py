"""DataSource: rows in files, in a fixed order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...basics.data_class import dataclass
from .chunk import Chunk

CHUNK_BYTES = 64 * 2**20
"""The bytes of a chunk in its files, about; a chunk is in memory whole, its decoded rows are not."""
CHUNK_ROWS = 65_536
"""The most rows of a chunk where nobody asks for another number."""


@dataclass(frozen=True, slots=True, eq=False)
class ReadRows:
    """The rows of a chunk.

    Attributes:
        table: a ``pyarrow.Table`` with the columns that were asked for.
        errors: why rows cannot be read, by the row's number in the chunk; their values mean nothing.
    """

    table: Any
    errors: Mapping[int, str]


class DataSource(ABC):
    """Rows in files. Can be pickled; workers read their chunks by it.

    Args:
        files: the paths, in the order of the rows.
    """

    kind: str
    """The name of the format, "Parquet"."""

    def __init__(self, files: Sequence[str]) -> None:
        self.files = tuple(files)

    @property
    @abstractmethod
    def schema(self) -> Any:
        """The columns: a ``pyarrow.Schema``."""

    @property
    @abstractmethod
    def row_bytes(self) -> float:
        """The bytes of a row in its file, on average."""

    @abstractmethod
    def chunks(self, rows: int) -> Iterator[Chunk]:
        """All rows in chunks of at most ``rows`` rows."""

    @abstractmethod
    def read(self, chunk: Chunk, columns: Sequence[str]) -> ReadRows:
        """The rows of a chunk, with these columns.

        Raises:
            OSError: the file cannot be read.
            InputError: the file has changed, or is damaged.
        """

    def usual_rows(self) -> int:
        """The number of rows in a chunk that has about ``CHUNK_BYTES``."""
        return max(1, min(CHUNK_ROWS, int(CHUNK_BYTES / max(self.row_bytes, 1))))
