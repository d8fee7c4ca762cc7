"""The wire format of ONNX files: finds the contents of large tensors, so that the parser need not copy them.

A message is a row of fields; each has a tag (field number and wire type), and messages and bytes a length. All three
numbers are varints: seven bits a byte, the lowest first. Source: protobuf.dev, "Encoding".
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TypeAlias

from ...data_class import dataclass
from ...flatbuffer.problem import FormatProblem

MIN_CUT_BYTES = 4096
"""Contents of at least this many bytes are cut out; messages below that are not looked into."""
MAX_FIELDS = 1_000_000
"""Fields that are looked at, which bounds the time; the parser gets whatever comes after them as it is."""
MAX_DEPTH = 100
"""Messages inside messages that are looked into; the parser rejects more."""

_MAX_LENGTH = 2**31 - 1
_TAG_BYTES, _LENGTH_BYTES, _VALUE_BYTES = 5, 5, 10
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_CONTENTS = "contents"
_INSIDE: Mapping[str, Mapping[int, str]] = {
    "model": {7: "graph", 25: "function"},
    "graph": {1: "node", 5: "tensor"},
    "function": {7: "node", 11: "attribute"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 11: "graph"},
    "tensor": {9: _CONTENTS},
}
"""By kind of message and number of the field: what is in the field, for those that lead to contents of tensors."""

Contents: TypeAlias = Mapping[bytes, memoryview]
NO_CONTENTS: Contents = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Outline:
    """A model without the contents of its large tensors.

    Attributes:
        rest: the model's bytes; the ``raw_data`` of such a tensor is a key that no file can know.
        contents: by key, the bytes in their place.
    """

    rest: bytes | memoryview
    contents: Contents


@dataclass(frozen=True, slots=True)
class _Field:
    """A field with a length: where its length stands, and where what it holds starts and ends."""

    number: int
    length_at: int
    start: int
    end: int


def outline(data: bytes | memoryview) -> Outline:
    """Cuts large contents of tensors out of a model; nothing of them is read or copied.

    Raises:
        FormatProblem: the bytes are no row of fields; the message has the position.
    """
    cutter = _Cutter(memoryview(data))
    pieces = cutter.message("model", 0, len(data), 0)
    return Outline(b"".join(pieces) if cutter.contents else data, cutter.contents)


class _Cutter:
    """Walks the messages of one model."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._fields_left = MAX_FIELDS
        self.contents: dict[bytes, memoryview] = {}

    def message(self, kind: str, start: int, end: int, depth: int) -> list[bytes | memoryview]:
        """The pieces of a message without large contents; one piece where there are none."""
        pieces: list[bytes | memoryview] = []
        copied = start
        for field in self._fields(start, end):
            inner = _INSIDE[kind].get(field.number)
            if inner is None or field.end - field.start < MIN_CUT_BYTES or depth >= MAX_DEPTH:
                continue
            found = self._key(field) if inner == _CONTENTS else self.message(inner, field.start, field.end, depth + 1)
            if inner == _CONTENTS or len(found) > 1:
                pieces += [self._data[copied : field.length_at], _as_varint(sum(map(len, found))), *found]
                copied = field.end
        return [*pieces, self._data[copied:end]]

    def _key(self, field: _Field) -> list[bytes | memoryview]:
        key = os.urandom(16)
        self.contents[key] = self._data[field.start : field.end]
        return [key]

    def _fields(self, at: int, end: int) -> Iterator[_Field]:
        """The fields with a length; the others are stepped over."""
        while at < end and self._fields_left > 0:
            self._fields_left -= 1
            tag, after = self._varint(at, end, _TAG_BYTES)
            number, kind = tag >> 3, tag & 7
            if number == 0 or tag >> 32:
                raise _problem(f"field number {number}", at)
            length = 0
            if kind == _BYTES:
                length, start = self._varint(after, end, _LENGTH_BYTES)
            elif kind == _VARINT:
                _, start = self._varint(after, end, _VALUE_BYTES)
            elif kind in (_FIXED32, _FIXED64):
                length, start = (4 if kind == _FIXED32 else 8), after
            else:
                raise _problem(f"wire type {kind}", at)
            most = min(end - start, _MAX_LENGTH)
            if length > most:
                raise _problem(f"field {number} takes {length} bytes, at most {most} may follow", at)
            if kind == _BYTES:
                yield _Field(number, after, start, start + length)
            at = start + length

    def _varint(self, at: int, end: int, most: int) -> tuple[int, int]:
        """A number of up to ``most`` bytes, and where it ends."""
        if at < end and self._data[at] < 0x80:
            return self._data[at], at + 1
        value = 0
        for position in range(at, min(end, at + most)):
            byte = self._data[position]
            value |= (byte & 0x7F) << 7 * (position - at)
            if byte < 0x80:
                return value, position + 1
        raise _problem("a number does not end", at)


def _as_varint(value: int) -> bytes:
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def _problem(found: str, at: int) -> FormatProblem:
    return FormatProblem(f"not an ONNX model: {found} at byte {at}")
