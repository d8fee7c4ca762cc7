"""Checked decoding of a flatbuffer along the schema's layout.

The flatbuffers package for Python has no verifier: its accessors trust every offset. Here each offset, vtable,
vector length and string terminator is checked before it is followed, as the C++ verifier does, and what was
checked is returned, so nothing is read a second time without a check.

The tables of a schema do not contain themselves, so depth is bounded. Work and memory are bounded by the
size of the buffer: tables, vectors and strings are charged with the bytes they take each time they are visited,
and a buffer whose parts add up to more than twice its size (because they are used in many places) is rejected.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from lite_delegate_schemas.field import Field

from ..basics.counted import counted
from .problem import FormatProblem
from .schema import Record, Schema, default_of

MAX_SIZE = 2**31 - 1
"""Most bytes a flatbuffer may have: its offsets are signed 32 bit numbers."""
WEIGHT_ALIGNMENT = 16
"""Byte vectors start at multiples of this, so that their contents can be viewed as elements of any type."""
MOST_VTABLES = 64
"""The vtables that are kept, and the vtables of tables that are decoded all at once: writers share vtables."""

SCALARS: dict[str, struct.Struct] = {
    "bool": struct.Struct("<?"),
    "byte": struct.Struct("<b"),
    "ubyte": struct.Struct("<B"),
    "short": struct.Struct("<h"),
    "ushort": struct.Struct("<H"),
    "int": struct.Struct("<i"),
    "uint": struct.Struct("<I"),
    "long": struct.Struct("<q"),
    "ulong": struct.Struct("<Q"),
    "float": struct.Struct("<f"),
    "double": struct.Struct("<d"),
}
DTYPES: dict[str, np.dtype[Any]] = {
    "byte": np.dtype("<i1"),
    "ubyte": np.dtype("<u1"),
    "short": np.dtype("<i2"),
    "ushort": np.dtype("<u2"),
    "int": np.dtype("<i4"),
    "uint": np.dtype("<u4"),
    "long": np.dtype("<i8"),
    "ulong": np.dtype("<u8"),
    "float": np.dtype("<f4"),
    "double": np.dtype("<f8"),
}
_U16 = struct.Struct("<H")
_OFFSET = SCALARS["uint"]
_SIGNED_OFFSET = SCALARS["int"]


class UnionMember(NamedTuple):
    """A union's value: the name of the table that it holds, and the table, None where it is absent."""

    type: str
    record: Record | None


def decode(buffer: memoryview, schema: Schema) -> Record:
    """The root table of a buffer.

    Raises:
        FormatProblem: the buffer is not a flatbuffer of this schema, says where.
    """
    if not 8 <= len(buffer) <= MAX_SIZE:
        raise FormatProblem(f"expected 8 to {counted(MAX_SIZE, 'byte')}, found {len(buffer):,}")
    if bytes(buffer[4:8]) != schema.identifier:
        raise FormatProblem(f"expected the identifier {schema.identifier!r} at byte 4, found {bytes(buffer[4:8])!r}")
    decoder = Decoder(buffer, schema)
    return decoder.table(decoder.follow(0), schema.root)


class Decoder:
    """Decodes tables of one buffer; positions are bytes from its start."""

    def __init__(self, buffer: memoryview, schema: Schema) -> None:
        self._buffer = buffer
        self._schema = schema
        self._size = len(buffer)
        self._budget = 2 * self._size
        self._vtables: dict[int, tuple[int, ...]] = {}

    def root_field(self, field: Field) -> Any:
        """One field of the table that the buffer starts with."""
        position = self.follow(0)
        self._charge(position, 4, 4)
        vtable = self._vtable(position)
        offset = vtable[field.id] if field.id < len(vtable) else 0
        return self._field(field, position, offset, vtable) if offset else default_of(field)

    def table(self, position: int, name: str) -> Record:
        """The table of type ``name`` at ``position``."""
        self._charge(position, 4, 4)
        vtable = self._vtable(position)
        record = self._schema.defaults[name].copy()
        for field, offset in zip(self._schema.by_id[name], vtable, strict=False):
            if not offset or field.kind == "deprecated":
                continue
            try:
                record[field.name] = self._field(field, position, offset, vtable)
            except FormatProblem as problem:
                raise problem.within(field.name) from None
        return record

    def follow(self, position: int) -> int:
        """The position that the offset at ``position`` points to."""
        if position < 0 or position + 4 > self._size or position % 4:
            raise self._misplaced(position, 4, 4)
        offset: int = _OFFSET.unpack_from(self._buffer, position)[0]
        if offset == 0 or position + offset >= self._size:
            raise FormatProblem(
                f"offset {offset} at byte {position} leaves the {counted(len(self._buffer), 'byte')} of the file"
            )
        return position + offset

    def string(self, position: int) -> str:
        """The string at ``position``; bytes that are not UTF-8 come as ``\\x`` escapes."""
        count = self._count(position, 1)
        end = position + 4 + count
        if end >= len(self._buffer) or self._buffer[end] != 0:
            raise FormatProblem(
                f"the string of {counted(count, 'byte')} at byte {position} does not end in a zero byte"
            )
        return str(self._buffer[position + 4 : end], "utf-8", "backslashreplace")

    def _vtable(self, position: int) -> tuple[int, ...]:
        """The field offsets of the table at ``position``, by field id."""
        start = position - int(_SIGNED_OFFSET.unpack_from(self._buffer, position)[0])
        known = self._vtables.get(start)
        if known is None:
            known = self._read_vtable(start)
            if len(self._vtables) < MOST_VTABLES:
                self._vtables[start] = known
        return known

    def _read_vtable(self, start: int) -> tuple[int, ...]:
        self._check(start, 4, 2)
        size = int(_U16.unpack_from(self._buffer, start)[0])
        if size < 4 or size % 2:
            raise FormatProblem(f"vtable at byte {start}: expected an even size of at least 4, found {size}")
        self._check(start, size, 2)
        count = min((size - 4) // 2, self._schema.most_fields)
        return struct.unpack_from(f"<{count}H", self._buffer, start + 4)

    def _field(self, field: Field, position: int, offset: int, vtable: tuple[int, ...]) -> Any:
        kind = field.kind
        if kind == "scalar":
            layout = SCALARS[field.type]
            self._charge(position + offset, layout.size, layout.size)
            return layout.unpack_from(self._buffer, position + offset)[0]
        if kind == "tag":
            return self._member(field.type, position + offset)
        target = self.follow(position + offset)
        if kind == "string":
            return self.string(target)
        if kind == "scalars":
            return self._scalars(target, field.type)
        if kind == "tables":
            return Tables(self, field, target, self._count(target, 4))
        return self.table(target, field.type) if kind == "table" else self._union(field, position, target, vtable)

    def _scalars(self, position: int, storage: str) -> np.ndarray[Any, Any]:
        dtype = DTYPES[storage]
        count = self._count(position, dtype.itemsize)
        return np.frombuffer(self._buffer, dtype, count, position + 4) if count else np.empty(0, dtype)

    def _union(self, field: Field, position: int, target: int, vtable: tuple[int, ...]) -> UnionMember | None:
        """The member at ``target``; which one it is says the field before."""
        tag_offset = vtable[field.id - 1]
        member = self._member(field.type, position + tag_offset) if tag_offset else None
        return member and UnionMember(member.type, self.table(target, member.type))

    def _member(self, union: str, position: int) -> UnionMember | None:
        """The member, still without its table, that the number at ``position`` names; None for 0."""
        self._check(position, 1, 1)
        tag = self._buffer[position]
        members = self._schema.unions[union]
        if tag > len(members):
            raise FormatProblem(f"expected a number up to {len(members)} of a known {union}, found {tag}")
        return UnionMember(members[tag - 1], None) if tag else None

    def _count(self, position: int, item_size: int) -> int:
        """The length of the vector at ``position``, whose items are all inside the buffer."""
        if position + 4 > self._size or position % 4:
            raise self._misplaced(position, 4, 4)
        count: int = _OFFSET.unpack_from(self._buffer, position)[0]
        self._budget -= 4
        self._charge(position + 4, count * item_size, 1)
        return count

    def _charge(self, position: int, size: int, alignment: int) -> None:
        """Checks that bytes are in the buffer and aligned, and charges for them."""
        if position < 0 or position + size > self._size or position % alignment:
            raise self._misplaced(position, size, alignment)
        self._budget -= size
        if self._budget < 0:
            raise FormatProblem("parts of the file are used in so many places that they add up to twice its size")

    def _check(self, position: int, size: int, alignment: int) -> None:
        if position < 0 or position + size > self._size or position % alignment:
            raise self._misplaced(position, size, alignment)

    def _misplaced(self, position: int, size: int, alignment: int) -> FormatProblem:
        """The problem of bytes that are not in the buffer, or not aligned."""
        if 0 <= position <= self._size - size:
            return FormatProblem(f"byte {position} is not a multiple of {alignment}, as what stands there must be")
        return FormatProblem(
            f"{counted(size, 'byte')} at byte {position} must lie inside the {counted(self._size, 'byte')} of the file"
        )

    def columns(self, first: int, count: int, name: str) -> dict[str, np.ndarray[Any, Any]] | None:
        """The fields of tables of scalars, all at once; None where the tables have to be decoded one by one.

        Args:
            first: the position of the first of the offsets to the tables.
            count: of the tables, whose offsets are inside the buffer.
            name: the type of the tables.

        Returns:
            By name, the contents of each field, ``(count,)``; of fields that the tables leave out, the default.
            Nothing is raised: where anything is unusual (very many vtables, an offset out of the buffer), decoding
            one by one says what.
        """
        if first % 4 or any(field.kind not in ("scalar", "deprecated") for field in self._schema.by_id[name]):
            return None
        offsets = self._elements("uint")[first // 4 : first // 4 + count]
        places = first + 4 * np.arange(count) + offsets
        if not offsets.all() or places.max() + 4 > len(self._buffer) or (places % 4).any():
            return None
        vtables = places - self._elements("int")[places // 4]
        starts = np.unique(vtables)
        if len(starts) > MOST_VTABLES:
            return None
        known = self._schema.defaults[name]
        columns = {
            field.name: np.full(count, known[field.name], _dtype(field))
            for field in self._schema.by_id[name]
            if field.kind == "scalar"
        }
        cost = 4 * count
        for start in starts:
            rows = np.flatnonzero(vtables == start)
            read = self._gather(name, places[rows])
            if read is None:
                return None
            for field, contents in read.items():
                columns[field][rows] = contents
                cost += contents.nbytes
        if cost > self._budget:
            return None
        self._budget -= cost
        return columns

    def _gather(self, name: str, places: np.ndarray[Any, Any]) -> dict[str, np.ndarray[Any, Any]] | None:
        """The scalars of tables with one vtable, at these positions; None where one cannot be read."""
        try:
            vtable = self._vtable(int(places[0]))
        except FormatProblem:
            return None
        found = {}
        for field, offset in zip(self._schema.by_id[name], vtable, strict=False):
            if not offset or field.kind != "scalar":
                continue
            at, dtype = places + offset, _dtype(field)
            if at.max() + dtype.itemsize > len(self._buffer) or (at % dtype.itemsize).any():
                return None
            contents = self._elements("ubyte" if field.type == "bool" else field.type)[at // dtype.itemsize]
            found[field.name] = contents.astype(dtype, copy=False)
        return found

    def _elements(self, storage: str) -> np.ndarray[Any, Any]:
        """The whole buffer as elements of a type."""
        dtype = DTYPES[storage]
        return np.frombuffer(self._buffer, dtype, len(self._buffer) // dtype.itemsize)


def _dtype(field: Field) -> np.dtype[Any]:
    return np.dtype(np.bool_) if field.type == "bool" else DTYPES[field.type]


class Tables:
    """A vector of tables that are decoded one by one, when they are asked for: a file may hold very many."""

    def __init__(self, decoder: Decoder, field: Field, position: int, count: int) -> None:
        self._decoder = decoder
        self._field = field
        self._position = position
        self._count = count

    def __len__(self) -> int:
        return self._count

    def columns(self) -> dict[str, np.ndarray[Any, Any]] | None:
        """The fields of all tables as arrays, see ``Decoder.columns``."""
        return self._decoder.columns(self._position + 4, self._count, self._field.type) if self._count else None

    def __iter__(self) -> Iterator[Record]:
        for i in range(self._count):
            try:
                record = self._decoder.table(self._decoder.follow(self._position + 4 + 4 * i), self._field.type)
            except FormatProblem as problem:
                raise problem.within(f"{self._field.name}[{i}]") from None
            yield record
