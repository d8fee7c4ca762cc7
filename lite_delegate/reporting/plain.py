"""Frozen data classes as plain data and JSON text, and back: checked on the way in."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from ..errors import InputError

_WORDS = {str: "a string", int: "a whole number", float: "a number", bool: "true or false", NoneType: "null"}

DEEPEST = 64
"""Lists and objects inside each other that a value of any kind may have."""


WIDEST = 2**63
"""Whole numbers are below it."""


def to_plain(value: Any) -> Any:
    """Data classes and mappings as dicts, tuples as lists, sets as sorted lists, members of enums as their values.

    Numbers that JSON has no word for are ``"inf"``, ``"-inf"`` and ``"nan"``.
    """
    if value is None or type(value) in (str, int, bool):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value):
        return {f.name: to_plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {key: to_plain(each) for key, each in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(to_plain, value))
    return [to_plain(each) for each in value]


def json_text(data: Any) -> str:
    """Plain data as JSON text, as all reports are written.

    Raises:
        ValueError: a number is infinite or not a number.
    """
    return json.dumps(data, indent=2, allow_nan=False)


def from_plain(expected: Any, data: Any, where: str) -> Any:
    """The value that ``to_plain`` made ``data`` from. Keys that are not known are left out: there may be newer ones.

    Args:
        expected: its type: a data class, or what the fields of data classes are annotated with.
        data: what JSON gave.
        where: what it is, for messages.

    Raises:
        InputError: a key is missing, or a value is of another type; the message says where.
    """
    origin, arguments = get_origin(expected), get_args(expected)
    if expected is Any:
        return _frozen(data, where)
    if origin in (Union, UnionType):
        return _one_of(arguments, data, where)
    if origin in _CONTAINERS:
        return _CONTAINERS[origin](arguments, data, where)
    if is_dataclass(expected) and isinstance(expected, type):
        return _data_class(expected, data, where)
    if isinstance(expected, type) and issubclass(expected, Enum):
        return _member(expected, data, where)
    return _scalar(expected, data, where)


def _frozen(data: Any, where: str, depth: int = 0) -> Any:
    """JSON's lists as tuples."""
    if depth > DEEPEST:
        raise InputError(f"{where}: it is nested more than {DEEPEST} times.")
    if isinstance(data, list):
        return tuple(_frozen(each, where, depth + 1) for each in data)
    if isinstance(data, dict):
        return {key: _frozen(each, where, depth + 1) for key, each in data.items()}
    if isinstance(data, float) and not math.isfinite(data):
        raise _wrong(where, "a finite number", data)
    return data


def _wrong(where: str, expected: str, found: Any) -> InputError:
    text = repr(found)
    return InputError(f"{where}: expected {expected}, found {text if len(text) <= 60 else text[:57] + '...'}.")


def _one_of(choices: tuple[Any, ...], data: Any, where: str) -> Any:
    """None, where that is allowed, or the other choice: what data classes here use unions for."""
    if data is None and NoneType in choices:
        return None
    (choice,) = (each for each in choices if each is not NoneType)
    return from_plain(choice, data, where)


def _tuple(arguments: tuple[Any, ...], data: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(data, list | tuple):
        raise _wrong(where, "a list", data)
    return tuple(from_plain(arguments[0], each, f"{where}[{i}]") for i, each in enumerate(data))


def _set(arguments: tuple[Any, ...], data: Any, where: str) -> frozenset[Any]:
    return frozenset(_tuple(arguments, data, where))


def _mapping(arguments: tuple[Any, ...], data: Any, where: str) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise _wrong(where, "an object", data)
    return {key: from_plain(arguments[1], each, f"{where}.{key}") for key, each in data.items()}


_CONTAINERS: Mapping[Any, Callable[[tuple[Any, ...], Any, str], Any]] = {
    tuple: _tuple,
    Sequence: _tuple,
    frozenset: _set,
    Collection: _set,
    Mapping: _mapping,
}


def _data_class(expected: Any, data: Any, where: str) -> Any:
    if not isinstance(data, dict):
        raise _wrong(where, "an object", data)
    types = field_types(expected)
    missing = [f"'{f.name}'" for f in fields(expected) if f.name not in data and _is_required(f)]
    if missing:
        raise InputError(f"{where}: the key {', '.join(missing)} is missing.")
    values = {k: from_plain(types[k], each, f"{where}.{k}") for k, each in data.items() if k in types}
    try:
        return expected(**values)
    except (TypeError, ValueError) as e:  # what a data class itself rejects
        raise InputError(f"{where}: {e}") from e


def _is_required(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


@cache
def field_types(data_class: Any) -> Mapping[str, Any]:
    """The types of the fields of a data class, by name."""
    hints = get_type_hints(data_class)
    return {f.name: hints[f.name] for f in fields(data_class)}


def _member(enum: type[Enum], data: Any, where: str) -> Enum:
    try:
        return enum(data)
    except ValueError:
        raise _wrong(where, f"one of {', '.join(str(m.value) for m in enum)}", data) from None


def _scalar(expected: Any, data: Any, where: str) -> Any:
    if expected is float and type(data) is int:
        return _as_float(data, where)
    if type(data) is not expected or (expected is float and not math.isfinite(data)):
        raise _wrong(where, _WORDS[expected], data)
    if expected is int and not -WIDEST <= data < WIDEST:
        raise _wrong(where, "a whole number of 64 bits", data)
    return data


def _as_float(data: int, where: str) -> float:
    try:
        return float(data)
    except OverflowError:
        raise _wrong(where, _WORDS[float], data) from None
