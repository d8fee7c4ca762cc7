"""Checked decoding of a flatbuffer along the schema's layout.

The flatbuffers package for Python has no verifier: its accessors trust every offset. Here each offset, vtable,
vector length and string terminator is checked before it is followed, as the C++ verifier does, and what was
checked is returned, so nothing is read a second time without a check.

The tables of the schema do not contain themselves, so depth is bounded. Work and memory are bounded by the
size of the buffer: whatever is visited is charged with the bytes it takes, and a buffer whose parts add up to
more than twice its size (tables or vectors used in many places) is refused.
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from lite_delegate_schemas._generated.layout import FILE_IDENTIFIER, ROOT, TABLES, UNIONS
from lite_delegate_schemas.field import Field

from .problem import FormatProblem

Record: TypeAlias = dict[str, Any]
"""A table by field name: numbers, strings, arrays that view the buffer, records, lists of them, ``Member``, None."""

MAX_SIZE = 2**31 - 1
"""Most bytes a flatbuffer may have: its offsets are signed 32 bit numbers."""

SCALARS: dict[str, struct.Struct] = {
    "bool": struct.Struct("<?"),
    "byte": struct.Struct("<b"),
    "ubyte": struct.Struct("<B"),
    "int": struct.Struct("<i"),
    "uint": struct.Struct("<I"),
    "long": struct.Struct("<q"),
    "float": struct.Struct("<f"),
    "double": struct.Struct("<d"),
}
DTYPES: dict[str, np.dtype[Any]] = {
    "byte": np.dtype("<i1"),
    "ubyte": np.dtype("<u1"),
    "int": np.dtype("<i4"),
    "uint": np.dtype("<u4"),
    "long": np.dtype("<i8"),
    "float": np.dtype("<f4"),
    "double": np.dtype("<f8"),
}
_U16 = struct.Struct("<H")
_OFFSET = SCALARS["uint"]
_SIGNED_OFFSET = SCALARS["int"]


class Member(NamedTuple):
    """A union's value: the name of the table that it holds, and the table, None where it is absent."""

    type: str
    record: Record | None


def decode(buffer: memoryview) -> Record:
    """The root table of a buffer.

    Raises:
        FormatProblem: the buffer is not a flatbuffer of this schema, says where.
    """
    if not 8 <= len(buffer) <= MAX_SIZE:
        raise FormatProblem(f"expected 8 to {MAX_SIZE} bytes, found {len(buffer)}")
    if bytes(buffer[4:8]) != FILE_IDENTIFIER:
        raise FormatProblem(f"expected the identifier {FILE_IDENTIFIER!r} at byte 4, found {bytes(buffer[4:8])!r}")
    decoder = Decoder(buffer)
    return decoder.table(decoder.follow(0), ROOT)


class Decoder:
    """Decodes tables of one buffer; positions are bytes from its start."""

    def __init__(self, buffer: memoryview) -> None:
        self._buffer = buffer
        self._budget = 2 * len(buffer)

    def root_field(self, field: Field) -> Any:
        """One field of the table that the buffer starts with."""
        position = self.follow(0)
        self._require(position, 4, 4)
        vtable = self._vtable(position)
        return self._field(field, position, vtable[field.id] if field.id < len(vtable) else 0, vtable)

    def table(self, position: int, name: str) -> Record:
        """The table of type ``name`` at ``position``."""
        self._require(position, 4, 4)
        vtable = self._vtable(position)
        record: Record = {}
        for field in TABLES[name]:
            offset = vtable[field.id] if field.id < len(vtable) else 0
            try:
                record[field.name] = self._field(field, position, offset, vtable)
            except FormatProblem as problem:
                raise problem.within(field.name) from None
        return record

    def follow(self, position: int) -> int:
        """The position that the offset at ``position`` points to."""
        self._require(position, 4, 4)
        offset = int(_OFFSET.unpack_from(self._buffer, position)[0])
        if offset == 0 or position + offset >= len(self._buffer):
            raise FormatProblem(f"offset {offset} at byte {position} leaves the {len(self._buffer)} bytes of the file")
        return position + offset

    def string(self, position: int) -> str:
        """The string at ``position``; bytes that are not UTF-8 come as ``\\x`` escapes."""
        count = self._count(position, 1)
        end = position + 4 + count
        if end >= len(self._buffer) or self._buffer[end] != 0:
            raise FormatProblem(f"the string of {count} bytes at byte {position} does not end in a zero byte")
        return str(self._buffer[position + 4 : end], "utf-8", "backslashreplace")

    def _vtable(self, position: int) -> tuple[int, ...]:
        """The field offsets of the table at ``position``, by field id."""
        start = position - int(_SIGNED_OFFSET.unpack_from(self._buffer, position)[0])
        self._check(start, 4, 2)
        size = int(_U16.unpack_from(self._buffer, start)[0])
        if size < 4 or size % 2:
            raise FormatProblem(f"vtable at byte {start}: expected an even size of at least 4, found {size}")
        self._check(start, size, 2)
        count = min((size - 4) // 2, _MOST_FIELDS)
        return struct.unpack_from(f"<{count}H", self._buffer, start + 4)

    def _field(self, field: Field, position: int, offset: int, vtable: tuple[int, ...]) -> Any:
        kind = field.kind
        if kind == "scalar":
            return self._scalar(field, position + offset) if offset else _default(field)
        if kind == "union":
            return self._union(field, position, offset, vtable)
        if not offset or kind == "deprecated":
            return None
        target = self.follow(position + offset)
        if kind == "string":
            return self.string(target)
        if kind == "table":
            return self.table(target, field.type)
        return self._tables(target, field.type) if kind == "tables" else self._scalars(target, field.type)

    def _scalar(self, field: Field, position: int) -> Any:
        layout = SCALARS[field.type]
        self._require(position, layout.size, layout.size)
        return layout.unpack_from(self._buffer, position)[0]

    def _scalars(self, position: int, storage: str) -> np.ndarray[Any, Any]:
        dtype = DTYPES[storage]
        count = self._count(position, dtype.itemsize)
        return np.frombuffer(self._buffer, dtype, count, position + 4) if count else np.empty(0, dtype)

    def _tables(self, position: int, name: str) -> list[Record]:
        records = []
        for i in range(self._count(position, 4)):
            try:
                records.append(self.table(self.follow(position + 4 + 4 * i), name))
            except FormatProblem as problem:
                raise problem.within(f"[{i}]") from None
        return records

    def _union(self, field: Field, position: int, offset: int, vtable: tuple[int, ...]) -> Member | None:
        tag_offset = vtable[field.id - 1] if field.id <= len(vtable) else 0
        if not tag_offset:
            return None
        self._require(position + tag_offset, 1, 1)
        tag = self._buffer[position + tag_offset]
        members = UNIONS[field.type]
        if tag > len(members):
            raise FormatProblem(f"expected a number up to {len(members)} of a known {field.type}, found {tag}")
        if not tag:
            return None
        name = members[tag - 1]
        return Member(name, self.table(self.follow(position + offset), name) if offset else None)

    def _count(self, position: int, item_size: int) -> int:
        """The length of the vector at ``position``, whose items are all inside the buffer."""
        self._require(position, 4, 4)
        count = int(_OFFSET.unpack_from(self._buffer, position)[0])
        self._require(position + 4, count * item_size, 1)
        return count

    def _require(self, position: int, size: int, alignment: int) -> None:
        """Checks that bytes are in the buffer and aligned, and charges for them."""
        self._check(position, size, alignment)
        self._budget -= size
        if self._budget < 0:
            raise FormatProblem("parts of the file are used in so many places that they add up to twice its size")

    def _check(self, position: int, size: int, alignment: int) -> None:
        if position < 0 or position + size > len(self._buffer):
            raise FormatProblem(
                f"{size} bytes at byte {position} are outside the {len(self._buffer)} bytes of the file"
            )
        if position % alignment:
            raise FormatProblem(f"byte {position} is not a multiple of {alignment}, as what stands there must be")


_MOST_FIELDS = max(len(fields) for fields in TABLES.values()) + 1
"""Vtables may be longer, in files of newer releases; what comes after is ignored."""


def _default(field: Field) -> Any:
    return bool(field.default) if field.type == "bool" else field.default
