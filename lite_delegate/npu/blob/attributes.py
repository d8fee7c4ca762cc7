"""Instructions as lists of named values, and back.

The fields of a dataclass are walked in order; a field that is a dataclass itself gives its own fields under
``field.``, and a tuple of such values gives its length under its name and each item under ``field[i]``. The type
annotations fix the type of each named value when it is read, so a file cannot have a value of another type.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from ...flatbuffer.problem import FormatProblem
from ...flatbuffer.schema import Record

T = TypeVar("T")
MOST_ITEMS = 1 << 16
"""A tuple of things that are no numbers may have so many items."""


def attribute_records(value: Any) -> list[Record]:
    """The fields of a dataclass of plain values as ``Attribute`` records."""
    records: list[Record] = []
    for field in fields(value):
        _write(field.name, getattr(value, field.name), records)
    return records


def _write(name: str, value: Any, records: list[Record]) -> None:
    if value is None:
        return
    if is_dataclass(value):
        records.append({"name": name, "ints": np.array([1], "<i8")})
        for field in fields(value):
            _write(f"{name}.{field.name}", getattr(value, field.name), records)
    elif isinstance(value, str):
        records.append({"name": name, "text": str(value)})
    elif isinstance(value, tuple) and value and not isinstance(value[0], (int, float)):
        records.append({"name": name, "ints": np.array([len(value)], "<i8")})
        for i, item in enumerate(value):
            _write(f"{name}[{i}]", item, records)
    else:
        records.append({"name": name, **_numbers(value if isinstance(value, tuple) else (value,))})


def _numbers(values: tuple[float, ...]) -> Record:
    if any(isinstance(v, float) for v in values):
        return {"reals": np.array(values, "<f8")}
    return {"ints": np.array(values, "<i8")}


def from_attributes(kind: type[T], attributes: Mapping[str, Record]) -> T:
    """The dataclass ``kind`` from its attributes by name.

    Raises:
        FormatProblem: one is missing, is of another type than the field, or no field has its name.
    """
    reader = _AttributeReader(attributes)
    made = reader.instance(kind, "")
    unknown = sorted(set(attributes) - reader.used)
    if unknown:
        raise FormatProblem(f"{kind.__name__} has no {unknown[0]}")
    return made


class _AttributeReader:
    """Reads values by the types that they must have, and notes which names were used."""

    def __init__(self, attributes: Mapping[str, Record]) -> None:
        self._attributes = attributes
        self.used: set[str] = set()

    def instance(self, kind: type[T], prefix: str) -> T:
        hints = _hints(kind)  # type: ignore[arg-type]
        values = {f.name: self._value(hints[f.name], prefix + f.name) for f in fields(kind)}  # type: ignore[arg-type]
        return kind(**values)

    def _value(self, hint: Any, name: str) -> Any:
        if get_origin(hint) in (Union, types.UnionType):
            (inner,) = (a for a in get_args(hint) if a is not types.NoneType)
            return self._value(inner, name) if name in self._attributes else None
        if get_origin(hint) is tuple:
            return self._tuple(get_args(hint), name)
        if isinstance(hint, type) and issubclass(hint, StrEnum):
            return self._member(hint, name)
        if is_dataclass(hint):
            self._ints(name, 1)
            return self.instance(hint, f"{name}.")  # type: ignore[arg-type]
        return self._scalar(hint, name)

    def _scalar(self, hint: Any, name: str) -> Any:
        if hint is str:
            return self._part(name, "text")
        if hint is float:
            (value,) = self._reals(name, 1)
            return value
        (number,) = self._ints(name, 1)
        return bool(number) if hint is bool else number

    def _tuple(self, hints: tuple[Any, ...], name: str) -> tuple[Any, ...]:
        count = None if hints[-1] is Ellipsis else len(hints)
        if set(hints) <= {int, Ellipsis}:
            return self._ints(name, count)
        if set(hints) <= {int, float, Ellipsis}:
            return self._reals(name, count)
        if name not in self._attributes:
            raise FormatProblem(f"{name} is missing")
        numbers = self._attributes[name]["ints"]
        if numbers is not None and len(numbers) == 0:
            self.used.add(name)
            return ()
        (items,) = self._ints(name, 1)
        if not 0 <= items <= MOST_ITEMS or (count is not None and items != count):
            raise FormatProblem(f"{name}: expected {count or f'at most {MOST_ITEMS}'} items, found {items}")
        inner = hints[:1] * items if count is None else hints
        return tuple(self._value(hint, f"{name}[{i}]") for i, hint in enumerate(inner))

    def _member(self, kind: type[StrEnum], name: str) -> StrEnum:
        text = self._part(name, "text")
        try:
            return kind(text)
        except ValueError:
            raise FormatProblem(f"{name}: expected one of {', '.join(kind)}, found {text!r}") from None

    def _ints(self, name: str, count: int | None) -> tuple[int, ...]:
        return tuple(map(int, self._counted(name, self._part(name, "ints"), count)))

    def _reals(self, name: str, count: int | None) -> tuple[float, ...]:
        record = self._attributes.get(name)
        ints_only = record is not None and record["reals"] is None
        return tuple(map(float, self._counted(name, self._part(name, "ints" if ints_only else "reals"), count)))

    def _counted(self, name: str, values: Any, count: int | None) -> Any:
        if count is not None and len(values) != count:
            raise FormatProblem(f"{name}: expected {count} numbers, found {len(values)}")
        return values

    def _part(self, name: str, part: str) -> Any:
        self.used.add(name)
        record = self._attributes.get(name)
        if record is None or record[part] is None:
            raise FormatProblem(f"{name}: {part} expected, found {'nothing' if record is None else 'something else'}")
        return record[part]


@cache
def _hints(kind: type) -> Mapping[str, Any]:
    """The types of a dataclass's fields. There are as many dataclasses as the instruction set has."""
    return get_type_hints(kind)
