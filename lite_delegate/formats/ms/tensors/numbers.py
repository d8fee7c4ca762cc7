"""Numbers of the file that differ from the API's."""

from __future__ import annotations

from ....flatbuffer.problem import FormatProblem
from ....ir import DataType, Format

_GENERIC = {31: DataType.INT32, 36: DataType.UINT32, 41: DataType.FLOAT32}
"""TypeIds without a width. NOTE: the runtime treats 31 and 41 so; 36 is by analogy, no file was seen with it."""

_NC8HW8 = 18
"""The file's number of NC8HW8, which in the API means NDHWC."""


def read_format(number: int) -> Format:
    """The format that a file's number means."""
    if number == _NC8HW8:
        return Format.NC8HW8
    try:
        found = Format(number)
    except ValueError:
        found = Format.DEFAULT
    if not Format.NCHW <= found <= Format.NCW:
        raise FormatProblem(f"expected a format number from 0 to {_NC8HW8} (not 14), found {number}")
    return found


def write_format(format: Format) -> int:
    """The file's number of a format."""
    if format in (Format.DEFAULT, Format.NDHWC):
        raise FormatProblem(f"a file has no number for the format {format.name}")
    return _NC8HW8 if format == Format.NC8HW8 else int(format)


def read_data_type(number: int) -> DataType:
    """The data type that a file's TypeId means."""
    if number in _GENERIC:
        return _GENERIC[number]
    try:
        found = DataType(number)
    except ValueError:
        found = DataType.UNKNOWN
    if found in (DataType.UNKNOWN, DataType.INVALID):
        known = ", ".join(f"{t.value} {t.name}" for t in DataType if t not in (DataType.UNKNOWN, DataType.INVALID))
        raise FormatProblem(f"expected a data type out of {known}, found {number}")
    return found
