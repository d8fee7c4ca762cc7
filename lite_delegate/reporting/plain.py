"""Frozen data classes as plain data and JSON text, and back: checked on the way in."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache, partial
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
    """The value that ``to_plain`` made ``data`` from. Unknown keys are left out, as newer releases may add keys.

    Args:
        expected: the type of the value: a data class, or an annotation of a data class's field.
        data: the data read from JSON.
        where: the name of the data, for messages.

    Raises:
        InputError: a key is missing, or a value is of another type; the message says where.
    """
    try:
        return _reader(expected)(data)
    except _Misfit as e:
        raise InputError(f"{where}{''.join(reversed(e.steps))}: {e.text}") from e.__cause__


class _Misfit(Exception):
    """The fault of a part of the data, and the steps to the part, the last step first."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text
        self.steps: list[str] = []

    def behind(self, step: str) -> _Misfit:
        self.steps.append(step)
        return self


@cache
def _reader(expected: Any) -> Callable[[Any], Any]:
    """The function that makes a value of a type from plain data."""
    origin, arguments = get_origin(expected), get_args(expected)
    if expected is Any:
        return _frozen
    if origin in (Union, UnionType):  # data classes use unions for optional values only
        (choice,) = (each for each in arguments if each is not NoneType)
        return partial(_optional, _reader(choice)) if NoneType in arguments else _reader(choice)
    if origin in (tuple, Sequence):
        return partial(_tuple, _reader(arguments[0]))
    if origin in (frozenset, Collection):
        return partial(_set, _reader(arguments[0]))
    if origin is Mapping:
        return partial(_mapping, _reader(arguments[1]))
    if is_dataclass(expected) and isinstance(expected, type):
        return partial(_data_class, expected)
    if isinstance(expected, type) and issubclass(expected, Enum):
        return partial(_member, expected)
    return partial(_scalar, expected)


def _frozen(data: Any, depth: int = 0) -> Any:
    """JSON's lists as tuples."""
    if depth > DEEPEST:
        raise _Misfit(f"it is nested more than {DEEPEST} times.")
    if isinstance(data, list):
        return tuple(_frozen(each, depth + 1) for each in data)
    if isinstance(data, dict):
        return {key: _frozen(each, depth + 1) for key, each in data.items()}
    if isinstance(data, float) and not math.isfinite(data):
        raise _wrong("a finite number", data)
    return data


def _wrong(expected: str, found: Any) -> _Misfit:
    text = repr(found)
    return _Misfit(f"expected {expected}, found {text if len(text) <= 60 else text[:57] + '...'}.")


def _optional(read: Callable[[Any], Any], data: Any) -> Any:
    return None if data is None else read(data)


def _tuple(read: Callable[[Any], Any], data: Any) -> tuple[Any, ...]:
    if not isinstance(data, list | tuple):
        raise _wrong("a list", data)
    found: list[Any] = []
    try:
        for each in data:
            found.append(read(each))
    except _Misfit as e:
        raise e.behind(f"[{len(found)}]") from e.__cause__
    return tuple(found)


def _set(read: Callable[[Any], Any], data: Any) -> frozenset[Any]:
    return frozenset(_tuple(read, data))


def _mapping(read: Callable[[Any], Any], data: Any) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise _wrong("an object", data)
    return {key: _in_key(key, read, each) for key, each in data.items()}


def _in_key(key: str, read: Callable[[Any], Any], data: Any) -> Any:
    try:
        return read(data)
    except _Misfit as e:
        raise e.behind(f".{key}") from e.__cause__


def _data_class(expected: Any, data: Any) -> Any:
    if not isinstance(data, dict):
        raise _wrong("an object", data)
    readers, required = _fields(expected)
    if not required <= data.keys():
        missing = [f"'{name}'" for name in readers if name in required and name not in data]
        raise _Misfit(f"the key {', '.join(missing)} is missing.")
    values = {key: _in_key(key, readers[key], each) for key, each in data.items() if key in readers}
    try:
        return expected(**values)
    except (TypeError, ValueError) as e:  # the data class itself rejects the values
        raise _Misfit(str(e)) from e


@cache
def _fields(data_class: Any) -> tuple[Mapping[str, Callable[[Any], Any]], frozenset[str]]:
    """The readers of a data class's fields, by name, and the names of the required fields."""
    types, found = get_type_hints(data_class), fields(data_class)
    required = (f.name for f in found if f.default is MISSING and f.default_factory is MISSING)
    return {f.name: _reader(types[f.name]) for f in found}, frozenset(required)


def _member(enum: type[Enum], data: Any) -> Enum:
    try:
        return enum(data)
    except ValueError:
        raise _wrong(f"one of {', '.join(str(m.value) for m in enum)}", data) from None


def _scalar(expected: Any, data: Any) -> Any:
    if expected is float and type(data) is int:
        return _as_float(data)
    if type(data) is not expected or (expected is float and not math.isfinite(data)):
        raise _wrong(_WORDS[expected], data)
    if expected is int and not -WIDEST <= data < WIDEST:
        raise _wrong("a whole number of 64 bits", data)
    return data


def _as_float(data: int) -> float:
    try:
        return float(data)
    except OverflowError:
        raise _wrong(_WORDS[float], data) from None
