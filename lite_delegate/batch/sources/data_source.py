"""DataSource: rows in files, in a fixed order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...basics.data_class import dataclass
from ...errors import InputError
from .chunk import Chunk
from .paths import FoundFiles

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


class DamagedChunk(InputError):
    """The rows of a chunk cannot be decoded, now or later; their number is known."""

    @classmethod
    def of(cls, file: str, error: Exception) -> InputError:
        """A failure of a reader as the damage of a file; where the system could not read it now, no damage is said."""
        is_damage = getattr(error, "errno", None) is None
        return (cls if is_damage else InputError)(f"'{file}' cannot be read: {error}")


class DataSource(ABC):
    """Rows in files. Can be pickled; workers read their chunks by it.

    Args:
        found: the files.
    """

    kind: str
    """The name of the format, "Parquet"."""

    def __init__(self, found: FoundFiles) -> None:
        self.files, self.names = found.paths, found.names

    @property
    @abstractmethod
    def schema(self) -> Any:
        """The columns: a ``pyarrow.Schema``."""

    @property
    @abstractmethod
    def row_bytes(self) -> float:
        """The bytes of a row in its file, on average."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """Plain data that tells the source from others, beside the state of its files."""
        return {"kind": self.kind, "files": len(self.files)}

    @abstractmethod
    def chunks(self, rows: int) -> Iterator[Chunk]:
        """All rows in chunks of at most ``rows`` rows."""

    @abstractmethod
    def read(self, chunk: Chunk, columns: Sequence[str]) -> ReadRows:
        """The rows of a chunk, with these columns.

        Raises:
            OSError: the file cannot be read.
            InputError: the file has changed, or is damaged (DamagedChunk).
        """

    def with_numbers(self, columns: Mapping[str, bool]) -> DataSource:
        """The source where columns are numbers, for formats that do not say themselves what a column is.

        Args:
            columns: for each column whether its numbers may have fractions.
        """
        return self

    def usual_rows(self) -> int:
        """The number of rows in a chunk that has about ``CHUNK_BYTES``."""
        return max(1, min(CHUNK_ROWS, int(CHUNK_BYTES / max(self.row_bytes, 1))))
