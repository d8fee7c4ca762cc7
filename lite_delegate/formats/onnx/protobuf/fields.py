"""Fields of protobuf messages, as they lie in bytes.

A message is a row of fields; each has a tag (field number and wire type), and messages and bytes a length. All three
numbers are varints: seven bits a byte, the lowest first. Source: protobuf.dev, "Encoding".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ....basics.counted import counted
from ....flatbuffer.problem import FormatProblem

VARINT, BYTES = 0, 2
"""Wire types."""
_FIXED = {1: 8, 5: 4}
"""Bytes of a field, by the wire types that have a fixed number."""
_MAX_LENGTH = 2**31 - 1
_TAG_BYTES, _LENGTH_BYTES, _VALUE_BYTES = 5, 5, 10


class Field(NamedTuple):
    """A field of a message.

    Attributes:
        number: the number of the field, which tells its meaning.
        kind: the wire type.
        at: the offset of the field.
        length_at: the offset of the length, in a field that has a length.
        start: the offset of the contents.
        end: the offset of the end of the contents and of the field.
    """

    number: int
    kind: int
    at: int
    length_at: int
    start: int
    end: int


def fields(data: bytes | memoryview, at: int, end: int) -> Iterator[Field]:
    """The fields of a message.

    Args:
        data: has the message.
        at: the offset of the field.
        end: where it ends.

    Raises:
        FormatProblem: the bytes are no row of fields; the message has the position.
    """
    while at < end:
        tag, after = _number(data, at, end, _TAG_BYTES)
        number, kind = tag >> 3, tag & 7
        if number == 0 or tag >> 32:
            raise _problem(f"field number {number}", at)
        start = after
        if kind == BYTES:
            length, start = _number(data, after, end, _LENGTH_BYTES)
        elif kind == VARINT:
            length = _number(data, after, end, _VALUE_BYTES)[1] - after
        elif kind in _FIXED:
            length = _FIXED[kind]
        else:
            raise _problem(f"wire type {kind}", at)
        most = min(end - start, _MAX_LENGTH)
        if length > most:
            raise _problem(f"field {number} takes {counted(length, 'byte')}, at most {most} may follow", at)
        yield Field(number, kind, at, after, start, start + length)
        at = start + length


def numbers(data: bytes | memoryview) -> list[int]:
    """The packed varints, one behind the other.

    Raises:
        FormatProblem: the last varint does not end.
    """
    found, at = [], 0
    while at < len(data):
        number, at = _number(data, at, len(data), _VALUE_BYTES)
        found.append(number)
    return found


def varint(number: int) -> bytes:
    """A number as a varint; a negative one as its complement to 2**64."""
    rest = number % 2**64
    found = bytearray()
    while rest >= 0x80:
        found.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*found, rest])


def _number(data: bytes | memoryview, at: int, end: int, most: int) -> tuple[int, int]:
    """A varint of up to ``most`` bytes, and where it ends."""
    if at < end and data[at] < 0x80:
        return data[at], at + 1
    value = 0
    for position in range(at, min(end, at + most)):
        byte = data[position]
        value |= (byte & 0x7F) << 7 * (position - at)
        if byte < 0x80:
            return value, position + 1
    raise _problem("a number does not end", at)


def _problem(found: str, at: int) -> FormatProblem:
    return FormatProblem(f"not an ONNX model: {found} at byte {at}")
