"""Chunk: a stretch of a data set's rows, the unit that engines schedule, and whose results are one file."""

from __future__ import annotations

from typing import Any

from ...basics.data_class import dataclass


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of rows of one data set.

    Attributes:
        index: in the order of the data set, from 0.
        rows: the number of rows.
        file: the path of the file that holds the rows; for images the folder.
        first_row: the number of rows before the chunk in its file.
        place: where the rows are in the file, as the source needs it.
    """

    index: int
    rows: int
    file: str
    first_row: int
    place: Any

    @property
    def where(self) -> str:
        """The rows in words: "rows 0 to 63 of 'a.parquet'"."""
        return f"rows {self.first_row:,} to {self.first_row + self.rows - 1:,} of '{self.file}'"
