"""Encoding records as a flatbuffer along a schema: the way back of ``decoder``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import flatbuffers
import numpy as np
from flatbuffers.builder import BuilderSizeError
from lite_delegate_schemas.field import Field

from ..basics.counted import counted
from ..basics.data_class import dataclass
from .decoder import MAX_SIZE, WEIGHT_ALIGNMENT, UnionMember
from .problem import FormatProblem, TooLarge
from .schema import Record, Schema

_HEADROOM = 1 << 16

_PREPEND: dict[str, Callable[[flatbuffers.Builder, Any], None]] = {
    "bool": flatbuffers.Builder.PrependBool,
    "byte": flatbuffers.Builder.PrependInt8,
    "ubyte": flatbuffers.Builder.PrependUint8,
    "int": flatbuffers.Builder.PrependInt32,
    "uint": flatbuffers.Builder.PrependUint32,
    "long": flatbuffers.Builder.PrependInt64,
    "ulong": flatbuffers.Builder.PrependUint64,
    "float": flatbuffers.Builder.PrependFloat32,
    "double": flatbuffers.Builder.PrependFloat64,
}

_MISFITS = (TypeError, ValueError, OverflowError)
"""The errors about a value that its field cannot hold."""


def encode(root: Record, schema: Schema, weight_bytes: int) -> memoryview:
    """The root table and all below it as a flatbuffer.

    Args:
        root: a record as ``decode`` returns it; fields that it lacks are left out.
        schema: of the file.
        weight_bytes: about how many bytes of weights it holds.

    Raises:
        FormatProblem: a value does not fit its field.
        TooLarge: the whole would be larger than a flatbuffer may be.
    """
    if weight_bytes + _HEADROOM > MAX_SIZE:
        raise TooLarge(f"{counted(weight_bytes, 'byte')} of weights do not fit one file")
    encoder = _Encoder(schema, weight_bytes + _HEADROOM)
    try:
        return encoder.finish(encoder.table(root, schema.root))
    except BuilderSizeError as e:
        raise TooLarge("its parts do not fit one file") from e


Bytes = np.ndarray[Any, np.dtype[np.uint8]]


@dataclass(frozen=True, slots=True)
class Encoded:
    """A flatbuffer whose byte vectors have not been copied into it.

    Attributes:
        head: all of it but byte vectors.
        vectors: those that come behind the head, in order.
    """

    head: memoryview
    vectors: tuple[Bytes, ...]

    def pieces(self) -> Iterator[memoryview | bytes]:
        """The bytes from front to back, the vectors among them as they are."""
        yield self.head
        end = 0
        for data in self.vectors:
            yield bytes(_vector_start(end) - end) + data.size.to_bytes(4, "little")
            yield data.data
            end = _vector_start(end) + 4 + data.size


def encode_in_pieces(root: Record, schema: Schema) -> Encoded:
    """As ``encode``, without taking memory for byte vectors: they come last, and are written from where they are.

    Raises:
        FormatProblem: a value does not fit its field.
        TooLarge: the whole would be larger than a flatbuffer may be.
    """
    encoder = _Encoder(schema, _HEADROOM, vectors=[])
    try:
        return encoder.finish_in_pieces(encoder.table(root, schema.root))
    except BuilderSizeError as e:
        raise TooLarge("its parts do not fit one file") from e


class _Encoder:
    """Writes from the back: what a table points to must be there before the table.

    Args:
        schema: of the file.
        size: about how many bytes it will have.
        vectors: where byte vectors go that are to come behind everything else; None to write them like all else.
    """

    def __init__(self, schema: Schema, size: int, vectors: list[Bytes] | None = None) -> None:
        self._schema = schema
        self._builder = flatbuffers.Builder(size)
        self._vectors = vectors
        self._vectors_end = 0
        if vectors is not None:
            # The head then ends at a multiple of this, so that vectors behind it are aligned.
            self._builder.Prep(WEIGHT_ALIGNMENT, 0)

    def finish_in_pieces(self, root: int) -> Encoded:
        """The whole, byte vectors apart."""
        encoded = Encoded(self.finish(root), tuple(self._vectors or ()))
        size = len(encoded.head) + self._vectors_end
        if size > MAX_SIZE:
            raise TooLarge(f"{counted(size, 'byte')} do not fit one file")
        return encoded

    def finish(self, root: int) -> memoryview:
        self._builder.Finish(root, file_identifier=self._schema.identifier)
        return memoryview(self._builder.Bytes)[self._builder.Head() :]

    def table(self, record: Record, name: str) -> int:
        fields = self._schema.tables[name]
        below: dict[int, int] = {}
        for field in fields:
            value = record.get(field.name)
            if value is not None and field.kind not in ("scalar", "deprecated"):
                try:
                    below[field.id] = self._below(field, value)
                except FormatProblem as problem:
                    raise problem.within(field.name) from None
                except _MISFITS as e:
                    raise _misfit(field, value, e) from e
        self._builder.StartObject(fields[-1].id + 1 if fields else 0)
        for field in fields:
            if field.kind == "scalar":
                value = record.get(field.name, field.default)
                if value is not field.default:
                    self._scalar(field, value)
            elif field.id in below:
                self._reference(field, below[field.id], record[field.name])
        return int(self._builder.EndObject())

    def _scalar(self, field: Field, value: Any) -> None:
        try:
            if not _is_default(value, field.default):
                _PREPEND[field.type](self._builder, value)
                self._builder.Slot(field.id)
        except _MISFITS as e:
            raise _misfit(field, value, e) from e

    def _below(self, field: Field, value: Any) -> int:
        if field.kind == "string":
            return int(self._builder.CreateString(value))
        if field.kind == "table":
            return self.table(value, field.type)
        if field.kind == "tables":
            return self._tables(field, value)
        if field.kind == "union":
            return self.table(value.record, value.type)
        return self._bytes(value) if field.type == "ubyte" else int(self._builder.CreateNumpyVector(value))

    def _reference(self, field: Field, position: int, value: Any) -> None:
        if isinstance(value, UnionMember):
            self._builder.PrependUint8Slot(field.id - 1, self._schema.unions[field.type].index(value.type) + 1, 0)
        self._builder.PrependUOffsetTRelativeSlot(field.id, position, 0)

    def _tables(self, field: Field, records: list[Record]) -> int:
        positions = []
        for i, record in enumerate(records):
            try:
                positions.append(self.table(record, field.type))
            except FormatProblem as problem:
                raise problem.within(f"[{i}]") from None
        self._builder.StartVector(4, len(positions), 4)
        for position in reversed(positions):
            self._builder.PrependUOffsetTRelative(position)
        return int(self._builder.EndVector())

    def _bytes(self, data: Bytes) -> int:
        if self._vectors is not None:
            # Positions count from the end of the head toward the front: what comes behind is negative.
            start = _vector_start(self._vectors_end)
            self._vectors.append(data)
            self._vectors_end = start + 4 + data.size
            return -start
        self._builder.StartVector(1, data.size, WEIGHT_ALIGNMENT)
        end = self._builder.Head()
        self._builder.head = end - data.size
        np.frombuffer(self._builder.Bytes, np.uint8)[end - data.size : end] = data
        return int(self._builder.EndVector())


def _vector_start(end: int) -> int:
    """Where the length of a vector goes behind ``end`` bytes, so that its elements, 4 bytes later, are aligned."""
    return -(-(end + 4) // WEIGHT_ALIGNMENT) * WEIGHT_ALIGNMENT - 4


def _misfit(field: Field, value: Any, error: Exception) -> FormatProblem:
    """What is wrong with a value that its field cannot hold."""
    return FormatProblem(f"{value!r} cannot be stored: {error}", field.name)


def _is_default(value: Any, default: float) -> bool:
    """True when leaving the value out reads the same; -0.0 is not 0.0."""
    return bool(value == default) and math.copysign(1, value) == math.copysign(1, default)
