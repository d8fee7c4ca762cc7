"""A parser for the regular subset of the flatbuffers schema language that ``fbs/`` is written in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .field import Field

SCALARS = ("bool", "byte", "ubyte", "int", "uint", "long", "float", "double")
FILES = ("ops_types.fbs", "ops.fbs", "model.fbs")
"""The schema of ``.ms`` files."""
NPU_BLOB_FILES = ("npu_blob.fbs",)
"""The schema of what is compiled for the built-in NPU."""
FOLDER = Path(__file__).parent / "fbs"

_ENUM = re.compile(r"enum (\w+) : (\w+) \{(.*?)\}", re.DOTALL)
_UNION = re.compile(r"union (\w+) \{(.*?)\}", re.DOTALL)
_TABLE = re.compile(r"table (\w+) \{(.*?)\}", re.DOTALL)
_FIELD = re.compile(r"(\w+): (\[?)(\w+)\]?(?: = ([\w.+-]+))? \(id: (\d+)(, deprecated)?\);")


@dataclass
class Schema:
    """Everything the schema files declare.

    Attributes:
        enums: per enum its storage type and its values.
        unions: per union its members; the first has tag 1.
        tables: per table its fields by id.
        root: the table at the start of a file.
        identifier: the four characters at bytes 4 to 7 of a file.
    """

    enums: dict[str, tuple[str, dict[str, int]]] = field(default_factory=dict)
    unions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    tables: dict[str, tuple[Field, ...]] = field(default_factory=dict)
    root: str = ""
    identifier: str = ""


def parse_schema(folder: Path = FOLDER, files: Sequence[str] = FILES) -> Schema:
    """Reads the files of one schema.

    Raises:
        ValueError: a declaration that the subset does not have, naming it.
    """
    text = "\n".join((folder / name).read_text(encoding="utf-8") for name in files)
    text = re.sub(r"//[^\n]*", "", text)
    schema = Schema()
    for name, storage, body in _ENUM.findall(text):
        schema.enums[name] = (storage, _values(body))
    for name, body in _UNION.findall(text):
        schema.unions[name] = tuple(part.strip() for part in body.split(",") if part.strip())
    for name, body in _TABLE.findall(text):
        schema.tables[name] = tuple(_field(schema, name, line) for line in body.splitlines() if line.strip())
    schema.root = _single(r"root_type (\w+);", text)
    schema.identifier = _single(r'file_identifier "(\w{4})";', text)
    _check(schema)
    return schema


def _values(body: str) -> dict[str, int]:
    return {name: int(value) for name, value in re.findall(r"(\w+) = (-?\d+)", body)}


def _single(pattern: str, text: str) -> str:
    found = re.findall(pattern, text)
    if len(found) != 1:
        raise ValueError(f"schema files must hold exactly one match of {pattern!r}, found {len(found)}")
    return str(found[0])


def _field(schema: Schema, table: str, line: str) -> Field:
    match = _FIELD.fullmatch(line.strip())
    if match is None:
        raise ValueError(f"table {table}: {line.strip()!r} is not 'name: type = default (id: n);'")
    name, bracket, type_name, default, number, deprecated = match.groups()
    if deprecated:
        return Field(int(number), name, "deprecated", type_name)
    if type_name == "string" and not bracket:
        return Field(int(number), name, "string", "")
    if type_name in SCALARS or type_name in schema.enums:
        return _scalar(schema, int(number), name, type_name, bool(bracket), default)
    if type_name in schema.unions:
        return Field(int(number), name, "union", type_name)
    return Field(int(number), name, "tables" if bracket else "table", type_name)


def _scalar(schema: Schema, number: int, name: str, type_name: str, is_vector: bool, default: str | None) -> Field:
    storage, values = schema.enums.get(type_name, (type_name, {}))
    enum = type_name if type_name in schema.enums else None
    if is_vector:
        return Field(number, name, "scalars", storage, enum)
    if enum is not None:
        return Field(number, name, "scalar", storage, enum, values[default] if default else 0)
    if storage == "bool":
        return Field(number, name, "scalar", storage, None, int(default == "true"))
    value = float(default or 0) if storage in ("float", "double") else int(default or 0)
    return Field(number, name, "scalar", storage, None, value)


def _check(schema: Schema) -> None:
    for name, fields in schema.tables.items():
        ids = [f.id for f in fields]
        expected = [1] if name == "Primitive" else list(range(len(fields)))
        if ids != expected:
            raise ValueError(f"table {name}: field ids must be {expected}, found {ids}")
        for f in fields:
            if f.kind in ("table", "tables") and f.type not in schema.tables:
                raise ValueError(f"table {name}: field {f.name} has the unknown type {f.type}")
    for name, members in schema.unions.items():
        missing = [m for m in members if m not in schema.tables]
        if missing:
            raise ValueError(f"union {name}: no table for {missing}")
