"""The contents of large tensors, found in ONNX files, so that the parser need not copy them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TypeAlias

from ....basics.data_class import dataclass
from .fields import BYTES, Field, fields, varint

MIN_CUT_BYTES = 4096
"""Contents of at least this many bytes are cut out; messages below that are not looked into."""
MAX_FIELDS = 1_000_000
"""Fields that are looked at, which bounds the time; the parser gets whatever comes after them as it is."""
MAX_DEPTH = 100
"""Messages inside messages that are looked into; the parser rejects more."""

_CONTENTS = "contents"
_INSIDE: Mapping[str, Mapping[int, str]] = {
    "model": {7: "graph", 25: "function"},
    "graph": {1: "node", 5: "tensor"},
    "function": {7: "node", 11: "attribute"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 11: "graph"},
    "tensor": {9: _CONTENTS},
}
"""The kind of a field by kind of message and number, for the fields that lead to contents of tensors."""

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
        """The pieces of a message without its large contents; one piece for a message without large contents."""
        pieces: list[bytes | memoryview] = []
        copied = start
        for field in self._fields(start, end):
            inner = _INSIDE[kind].get(field.number)
            if inner is None or field.end - field.start < MIN_CUT_BYTES or depth >= MAX_DEPTH:
                continue
            found = self._key(field) if inner == _CONTENTS else self.message(inner, field.start, field.end, depth + 1)
            if inner == _CONTENTS or len(found) > 1:
                pieces += [self._data[copied : field.length_at], varint(sum(map(len, found))), *found]
                copied = field.end
        return [*pieces, self._data[copied:end]]

    def _key(self, field: Field) -> list[bytes | memoryview]:
        key = os.urandom(16)
        self.contents[key] = self._data[field.start : field.end]
        return [key]

    def _fields(self, at: int, end: int) -> Iterator[Field]:
        """The fields with a length, of as many as are looked at."""
        found = fields(self._data, at, end)
        while self._fields_left > 0 and (field := next(found, None)) is not None:
            self._fields_left -= 1
            if field.kind == BYTES:
                yield field
