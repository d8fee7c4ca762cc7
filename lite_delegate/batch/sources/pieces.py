"""Pieces of files that have their rows in blocks: several small blocks together, or a stretch of a large one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...basics.data_class import dataclass
from ..pyarrow_package import pyarrow


@dataclass(frozen=True, slots=True)
class Blocks:
    """Blocks ``start`` to ``stop``, exclusive, of a file, without the first ``skipped`` rows."""

    start: int
    stop: int
    skipped: int


def pieces(sizes: Sequence[int], rows: int) -> Iterator[tuple[Blocks, int]]:
    """Stretches of blocks with at most ``rows`` rows, and stretches of larger blocks; with their numbers of rows."""
    start, count = 0, 0
    for number, size in enumerate(sizes):
        if count and count + size > rows:
            yield Blocks(start, number, 0), count
            start, count = number, 0
        if size <= rows:
            count += size
            continue
        for skipped in range(0, size, rows):
            yield Blocks(number, number + 1, skipped), min(rows, size - skipped)
        start = number + 1
    if count:
        yield Blocks(start, len(sizes), 0), count


def no_columns(rows: int) -> Any:
    """A table of rows of which no column was asked for."""
    pa = pyarrow()
    return pa.table({"": pa.nulls(rows)})


def described(schema: Any) -> str:
    """The columns of a schema in words."""
    return ", ".join(f"{field.name} {field.type}" for field in schema)


def is_alike(schema: Any, other: Any) -> bool:
    """Whether two schemas have the same columns, in any order."""
    return {field.name: field.type for field in schema} == {field.name: field.type for field in other}
