"""The keys of a profile's file and its tables, taken from the data classes, the only list of keys."""

from __future__ import annotations

import math
from dataclasses import MISSING, Field, fields
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from ...basics.data_class import dataclass
from ...errors import InputError
from ...properties import shown
from .number_range import NumberRange

NO_LIMIT = "none"
"""The word of a file for None, where a profile that is the base of another sets a value."""
MAX_TEXT = 200
MAX_ITEMS = 1000
_DEFAULT_RANGE = NumberRange(0, 2**53)
_TYPE_NAMES = {bool: "true or false", int: "an integer", float: "a number", str: "text"}


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a table.

    Attributes:
        name: the key.
        item: the type of the value, or of each item of a list: bool, int, float or str.
        container: None, or the type of the list: tuple or frozenset.
        optional: the value may be ``"none"``.
        limits: of a number.
        default: when the key is left out.
    """

    name: str
    item: type
    container: type | None
    optional: bool
    limits: NumberRange
    default: Any

    @property
    def expected(self) -> str:
        """The values that are allowed, for messages."""
        text = _TYPE_NAMES[self.item]
        if self.item in (int, float):
            text += f" from {self.limits.minimum:.17g} to {self.limits.maximum:.17g}"
        if self.item is str:
            text += f" of {int(self.default != '')} to {MAX_TEXT} characters"
        if self.container is not None:
            text = f"a list of 1 to {MAX_ITEMS} items, each {text}"
        return f'{text}, or "{NO_LIMIT}"' if self.optional else text

    def value(self, found: object, where: str) -> Any:
        """The value for a data class.

        Args:
            found: the value from the file.
            where: the profile and the table, for the message.

        Raises:
            InputError: it is of another type, or out of range.
        """
        if self.optional and found == NO_LIMIT:
            return None
        if self.container is None:
            if self._fits(found):
                return self.item(found)
        elif isinstance(found, list) and 0 < len(found) <= MAX_ITEMS and all(map(self._fits, found)):
            return self.container(self.item(item) for item in found)
        raise InputError(f"{where}: '{self.name}' must be {self.expected}, got {shown(found)}.")

    def _fits(self, found: object) -> bool:
        if self.item is bool or isinstance(found, bool):
            return self.item is bool and isinstance(found, bool)
        if isinstance(found, str):
            return self.item is str and int(self.default != "") <= len(found) <= MAX_TEXT
        if isinstance(found, float):
            return self.item is float and math.isfinite(found) and self._in_range(found)
        return self.item in (int, float) and isinstance(found, int) and self._in_range(found)

    def _in_range(self, number: float) -> bool:
        return self.limits.minimum <= number <= self.limits.maximum


def keys_of(table: type) -> dict[str, Key]:
    """The keys of a table, from the data class that it becomes.

    Raises:
        TypeError: a field of the class is of a type that no file can hold.
    """
    hints = get_type_hints(table, include_extras=True)
    return {field.name: _key(field, hints[field.name]) for field in fields(table)}


def _key(field: Field[Any], hint: Any) -> Key:
    limits = _DEFAULT_RANGE
    if get_origin(hint) is Annotated:
        hint, limits = get_args(hint)
    optional = get_origin(hint) in (Union, UnionType) and NoneType in get_args(hint)
    if optional:
        (hint,) = (part for part in get_args(hint) if part is not NoneType)
    container = get_origin(hint)
    item = get_args(hint)[0] if container in (tuple, frozenset) else hint
    if item not in _TYPE_NAMES or container not in (None, tuple, frozenset) or field.default is MISSING:
        raise TypeError(f"No profile can hold field '{field.name}' of type {hint}, or it lacks a default.")
    return Key(field.name, item, container, optional, limits, field.default)
