"""Primitives from plain values."""

from __future__ import annotations

import operator
from collections.abc import Callable
from enum import IntEnum
from typing import Any

from ..basics.similar import did_you_mean
from ..errors import GraphError
from .custom import custom_primitive
from .operator_names import near_operator
from .primitive import Attribute, Primitive


def make_primitive(op_type: str, /, **attributes: Any) -> Primitive:
    """A primitive from plain values, as converters and tests have them.

    Enum attributes take a member, its name or its number; vectors take any iterable; ``global`` may be
    spelled with or without the trailing underscore. Attributes that are left out keep the schema's default.

    A name with a domain in front ("ai.onnx.Det") makes a Custom primitive of that type, see ``ir.custom``.

    Raises:
        GraphError: an unknown operator or attribute (similar names are listed), or a value that does not fit.
    """
    # Imported late: the classes of all operators take a while.
    from .primitives import PRIMITIVE_CLASSES

    cls = PRIMITIVE_CLASSES.get(op_type)
    if cls is None and "." in op_type:
        return custom_primitive(op_type, attributes)
    if cls is None:
        raise GraphError(f"No operator '{op_type}' in the schema{near_operator(op_type, PRIMITIVE_CLASSES) or '.'}")
    types = cls._types
    values = {}
    for given, value in attributes.items():
        name = given if given in types else f"{given}_"
        if name not in types:
            raise GraphError(
                f"{op_type} has no attribute '{given}'{did_you_mean(given, types) or '.'} It has {list(types)}."
            )
        values[name] = _coerce(f"{op_type}.{given}", types[name], cls._defaults[name], value)
    return cls(**values)


def _coerce(where: str, type_name: str, default: Any, value: Any) -> Any:
    try:
        if isinstance(default, IntEnum):
            return _enum_member(type(default), value)
        return _COERCIONS[type_name](value)
    except (TypeError, ValueError, KeyError) as e:
        raise GraphError(f"{where} must be {type_name}, got {value!r}.") from e


def _enum_member(enum: type[IntEnum], value: Any) -> IntEnum:
    return enum[value] if isinstance(value, str) else enum(value)


def _flag(value: Any) -> bool:
    if value not in (0, 1):
        raise ValueError(value)
    return bool(value)


def _number(value: Any) -> float:
    if isinstance(value, str | bytes):
        raise TypeError(value)
    return float(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _blob(value: Any) -> Attribute:
    return value if isinstance(value, Attribute) else Attribute(*value)


def _optional(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else convert(value)


def _each(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda values: tuple(convert(v) for v in values)


_COERCIONS: dict[str, Callable[[Any], Any]] = {
    "bool": _flag,
    "int": operator.index,
    "float": _number,
    "str | None": _optional(_text),
    "tuple[int, ...] | None": _optional(_each(operator.index)),
    "tuple[float, ...] | None": _optional(_each(_number)),
    "tuple[tuple[int, ...], ...] | None": _optional(_each(_each(operator.index))),
    "tuple[Attribute, ...] | None": _optional(_each(_blob)),
}
