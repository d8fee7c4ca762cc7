"""The first line of a CSV file: the names of the columns, or numbers."""

from __future__ import annotations

import csv
import io

import numpy as np

from ...basics.data_class import dataclass
from ...errors import InputError
from .csv_rows import row_ends

MARK = b"\xef\xbb\xbf"
"""The first bytes of UTF-8 text that says what it is."""
MOST_BYTES = 2**20
"""The most bytes of the line of names."""


@dataclass(frozen=True, slots=True)
class CsvHeader:
    """The columns of a CSV file.

    Attributes:
        names: of the columns.
        size: the bytes before the first row.
        delimiter: between values.
    """

    names: tuple[str, ...]
    size: int
    delimiter: str


def read_header(file: str, delimiter: str) -> CsvHeader:
    """The columns of a CSV file by its first line; ``f0``, ``f1`` and so on where it has only numbers.

    Raises:
        InputError: the file is empty, no text, or names a column twice.
        OSError: the file cannot be read.
    """
    with open(file, "rb") as opened:
        start = opened.read(MOST_BYTES)
    marked = len(MARK) if start.startswith(MARK) else 0
    if start[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in start:
        raise InputError(f"'{file}' is no text in UTF-8.")
    found = next((e for e in row_ends(np.frombuffer(start, np.uint8)[marked:], ord(delimiter)) if len(e.starts)), None)
    if found is None:
        raise InputError(f"'{file}' is empty, expected a line with the names of the columns.")
    first, end = marked + int(found.starts[0]), marked + int(found.ends[0])
    try:
        line = start[first:end].decode().rstrip("\r\n")
        values = next(csv.reader(io.StringIO(line, newline=""), delimiter=delimiter, strict=True))
    except (UnicodeDecodeError, csv.Error) as e:
        raise InputError(f"'{file}': the line with the names of the columns cannot be read: {e}") from e
    if all(map(_is_number, values)):
        return CsvHeader(tuple(f"f{number}" for number in range(len(values))), first, delimiter)
    names = tuple(value.strip() for value in values)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"'{file}' has two columns called '{twice}'.")
    return CsvHeader(names, end, delimiter)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
