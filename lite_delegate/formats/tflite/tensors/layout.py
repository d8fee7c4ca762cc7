"""The layout of TensorFlow Lite files, taken from the readers that the package ``tflite`` brings.

The package has a class per table whose methods read one field each, and trust every offset. No file is read with
them here. Each method is called once on a stand-in for a table that notes what the method asks of it: the place in
the vtable, the type of a number, a vector, a string, another table. What it notes is the layout along which the
checked decoder reads files. The same method on a stand-in without fields gives the field's default.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from lite_delegate_schemas.field import Field

from ....flatbuffer.schema import Schema

IDENTIFIER = b"TFL3"
UNKNOWN_MEMBER = "UnknownMember"
"""Stands for members of unions that are newer than the package: a table of which nothing is read."""

_HIGHEST_TAG = 255
_STORAGE = {
    "BoolFlags": "bool",
    "Int8Flags": "byte",
    "Uint8Flags": "ubyte",
    "Int16Flags": "short",
    "Uint16Flags": "ushort",
    "Int32Flags": "int",
    "Uint32Flags": "uint",
    "Int64Flags": "long",
    "Uint64Flags": "ulong",
    "Float32Flags": "float",
    "Float64Flags": "double",
}
_HELPERS = ("Length", "IsNone", "AsNumpy")
"""Endings of methods that read a vector in another way."""
_UNIONS = {"ArraySegments": "SparseIndexVector", "ArrayIndices": "SparseIndexVector"}
"""The unions of fields that are not called like them."""


@functools.cache
def tflite_schema() -> Schema:
    """The layout of every table of the format; the package must be installed."""
    modules = dict(_modules())
    tables = {name: _fields(getattr(module, name), modules) for name, module in modules.items() if _is_table(module)}
    tables[UNKNOWN_MEMBER] = ()
    unions = {f.type: _members(modules[f.type], tables) for fs in tables.values() for f in fs if f.kind == "union"}
    return Schema(IDENTIFIER, "Model", tables, unions)


@functools.cache
def enum_names(enum: str) -> dict[int, str]:
    """The members of an enum of the schema: number to name."""
    module = importlib.import_module(f"tflite.{enum}")
    return {number: name for name, number in vars(getattr(module, enum)).items() if not name.startswith("_")}


def _modules() -> Iterator[tuple[str, ModuleType]]:
    import tflite

    for found in pkgutil.iter_modules(tflite.__path__):
        module = importlib.import_module(f"tflite.{found.name}")
        if hasattr(module, found.name):
            yield found.name, module


def _is_table(module: ModuleType) -> bool:
    name = module.__name__.rpartition(".")[2]
    return hasattr(getattr(module, name), "Init")


class _Table:
    """A stand-in for a table, which notes the fields that a reader asks for."""

    Pos = 0
    Bytes = b""

    def __init__(self, has_fields: bool) -> None:
        self._has_fields = has_fields
        self.slots: list[int] = []
        self.seen: list[str] = []

    def Offset(self, slot: int) -> int:
        self.slots.append(slot)
        return slot if self._has_fields else 0

    def Get(self, flags: type, position: int) -> int:
        self.seen.append(flags.__name__)
        return 0

    def Indirect(self, position: int) -> int:
        self.seen.append("table")
        return 0

    def Vector(self, position: int) -> int:
        self.seen.append("vector")
        return 0

    def String(self, position: int) -> bytes:
        self.seen.append("string")
        return b""

    def Union(self, table: object, position: int) -> None:
        self.seen.append("union")


def _fields(table: type, modules: dict[str, ModuleType]) -> tuple[Field, ...]:
    """The fields of a table by id; ids that nothing reads are deprecated."""
    methods = {name: method for name, method in vars(table).items() if inspect.isfunction(method) and name != "Init"}
    found = {}
    for name, method in methods.items():
        if not any(name.endswith(end) and name.removesuffix(end) in methods for end in _HELPERS):
            field = _field(table, name, method, modules)
            found[field.id] = field
    count = max(found, default=-1) + 1
    return tuple(found.get(i, Field(i, f"deprecated_{i}", "deprecated", "")) for i in range(count))


def _field(table: type, name: str, method: Callable[..., Any], modules: dict[str, ModuleType]) -> Field:
    asked = _Table(has_fields=True)
    result = _call(table, method, asked)
    # A reader that also looks at an older field asks for its own field first.
    number, plain = (asked.slots[0] - 4) // 2, re.sub("(?<!^)(?=[A-Z])", "_", name).lower()
    match asked.seen:
        case ["string"]:
            return Field(number, plain, "string", "")
        case ["table"]:
            return Field(number, plain, "table", type(result).__name__)
        case ["vector", "table"]:
            return Field(number, plain, "tables", type(result).__name__)
        case ["union"]:
            union = _UNIONS.get(name, name)
            return Field(number, plain, "union" if union in modules else "deprecated", union)
        case ["vector", flags]:
            return Field(number, plain, "scalars", _STORAGE[flags].replace("bool", "ubyte"))
        case [flags, *_]:
            default = _call(table, method, _Table(has_fields=False))
            return Field(number, plain, "scalar", _STORAGE[flags], default=default)
    raise TypeError(f"the package 'tflite' reads {table.__name__}.{name} in a way that is not known: {asked.seen}")


def _call(table: type, method: Callable[..., Any], stand_in: _Table) -> Any:
    reader = table()
    reader._tab = stand_in
    return method(reader, 0) if len(inspect.signature(method).parameters) == 2 else method(reader)


def _members(module: ModuleType, tables: dict[str, tuple[Field, ...]]) -> tuple[str, ...]:
    """The tables of a union by tag, from 1 on."""
    union = getattr(module, module.__name__.rpartition(".")[2])
    by_tag = {tag: name for name, tag in vars(union).items() if name in tables}
    return tuple(by_tag.get(tag, UNKNOWN_MEMBER) for tag in range(1, _HIGHEST_TAG + 1))
