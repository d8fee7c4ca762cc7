"""Primitives of a file to primitive classes, and back."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from lite_delegate_schemas._generated.layout import TABLES
from lite_delegate_schemas.field import Field

from ...flatbuffer.decoder import UnionMember
from ...flatbuffer.problem import FormatProblem
from ...flatbuffer.schema import Record
from ...ir import Primitive
from ...ir._generated import enums
from ...ir.primitive import Attribute
from ...ir.primitives import PRIMITIVE_CLASSES
from .tensors.numbers import read_format, write_format
from .tensors.tensor_records import integers


def read_primitive(record: Record | None) -> Primitive:
    """The primitive of a node's ``primitive`` table. A primitive without attributes may lack its table.

    Raises:
        FormatProblem: there is no such primitive, or an attribute has a value that its enum does not have.
    """
    member: UnionMember | None = None if record is None else record["value"]
    if member is None:
        raise FormatProblem("expected an operator, found none", "primitive")
    if member.record is None:
        if TABLES[member.type]:
            raise FormatProblem(f"expected the attributes of {member.type}, found none", "primitive.value")
        return PRIMITIVE_CLASSES[member.type]()
    values = {}
    for name, field in _attributes(member.type):
        try:
            values[name] = _read_attribute(field, member.record[field.name])
        except FormatProblem as problem:
            raise problem.within(f"{member.type}.{field.name}") from None
    return PRIMITIVE_CLASSES[member.type](**values)


def write_primitive(primitive: Primitive) -> Record:
    """The ``primitive`` table of a node.

    Raises:
        FormatProblem: an attribute that the format cannot hold.
    """
    given = vars(primitive)
    record = {}
    for name, field in _attributes(primitive.op_type):
        try:
            record[field.name] = _write_attribute(field, given[name])
        except FormatProblem as problem:
            raise problem.within(field.name) from None
    return {"value": UnionMember(primitive.op_type, record)}


@cache
def _attributes(op_type: str) -> tuple[tuple[str, Field], ...]:
    """The fields of a primitive's table, each with the name of the attribute in Python."""
    return tuple(("global_" if field.name == "global" else field.name, field) for field in TABLES[op_type])


def _read_attribute(field: Field, value: Any) -> Any:
    if field.enum == "Format":
        return read_format(value)
    if field.enum is not None:
        return _enum_member(field, value)
    if field.kind == "scalars" and value is not None:
        return tuple(value.tolist())
    if field.type == "Vec2D" and value is not None:
        return None if value["data"] is None else tuple(_row(row["data"]) for row in value["data"])
    if field.type == "Attribute" and value is not None:
        return tuple(Attribute(blob["name"], _blob(blob["data"])) for blob in value)
    return value


def _enum_member(field: Field, value: int) -> Any:
    enum = getattr(enums, str(field.enum))
    try:
        return enum(value)
    except ValueError:
        raise FormatProblem(f"expected one of {[m.value for m in enum]}, found {value}") from None


def _row(data: np.ndarray[Any, Any] | None) -> tuple[int, ...]:
    return () if data is None else tuple(data.tolist())


def _blob(data: np.ndarray[Any, Any] | None) -> bytes | None:
    return None if data is None else data.tobytes()


def _write_attribute(field: Field, value: Any) -> Any:
    if field.enum == "Format":
        return write_format(value)
    if value is None or field.kind in ("scalar", "string"):
        return value
    if field.kind == "scalars":
        return np.array(value, "<f4") if field.type == "float" else integers(value, field.type)
    if field.type == "Vec2D":
        return {"data": [{"data": integers(row, "long")} for row in value]}
    return [{"name": a.name, "data": None if a.data is None else np.frombuffer(a.data, np.uint8)} for a in value]
