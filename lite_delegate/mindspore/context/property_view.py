"""PropertyView: an attribute of a context that shows a property in the words of the ``mindspore_lite`` package."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeVar

from ...inference.properties.build_properties import NO_LIMIT
from ...properties import Choice, Integer, Kind, Layer, Or, Registry, Values
from .setting import Setting, check_type, checked_choice, checked_number

T = TypeVar("T")
Given = TypeVar("Given")


class Valued:
    """An object with values of properties, which its attributes show."""

    registry: ClassVar[Registry]
    """The registry of the object's properties."""

    def __init__(self) -> None:
        self._given: Mapping[str, object] = {}

    @property
    def values(self) -> Values:
        """The values of the object's properties, set by name or as an attribute."""
        return Values(self.registry, {Layer.FLAT: self._given} if self._given else {})

    def set_values(self, changes: Mapping[str, object]) -> None:
        """Sets values, all of them or none.

        Raises:
            PropertyError: there is no such property or value.
        """
        self._given = {**self._given, **self.registry.checked(changes)}


class PropertyView(Setting[T, Given]):
    """An attribute of a ``Valued``: a name and words for a property, which has the default and the range.

    Args:
        name: the name of the property, in the registry of the class.
        checked: gives, for the kind of the property, the check of the user's words.
        read: gives the attribute's word for a value of the property.
        written: gives the value of the property for a word.
        doc: the docstring of the attribute, for ``help``.
    """

    def __init__(
        self,
        name: str,
        checked: Callable[[Kind], Callable[[str, Given], T]],
        read: Callable[[Any], T],
        written: Callable[[T], object],
        doc: str,
    ) -> None:
        self._property, self._check_of = name, checked
        self._read, self._written = read, written
        self.__doc__ = doc

    def __set_name__(self, owner: type[Valued], name: str) -> None:
        super().__set_name__(owner, name)
        kind = owner.registry.settable(self._property).kind
        assert kind is not None
        self._checked = self._check_of(kind)

    def _kept(self, instance: Any) -> T:
        return self._read(instance.values.value(self._property))

    def _keep(self, instance: Any, value: T) -> None:
        instance.set_values({self._property: self._written(value)})


def flag(name: str, doc: str, *, is_opposite: bool = False) -> PropertyView[bool, bool]:
    """An attribute that is True for YES and False for NO; the reverse where it ``is_opposite``."""

    def turned(value: bool) -> bool:
        return value is not is_opposite

    return PropertyView(name, lambda _: _checked_flag, turned, turned, doc)


def word(name: str, doc: str) -> PropertyView[str, str]:
    """An attribute with the words of a property in small letters."""

    def checks(kind: Kind) -> Callable[[str, str], str]:
        assert isinstance(kind, Choice)
        return lambda attribute, value: checked_choice(attribute, value, [each.lower() for each in kind.values])

    return PropertyView(name, checks, str.lower, str.upper, doc)


def number(name: str, doc: str) -> PropertyView[int, int]:
    """An attribute with the integers of a property."""

    def checks(kind: Kind) -> Callable[[str, int], int]:
        assert isinstance(kind, Integer)
        return lambda attribute, value: checked_number(attribute, value, kind.minimum, kind.maximum)

    return PropertyView(name, checks, int, int, doc)


def limit(name: str, doc: str) -> PropertyView[int | None, int | None]:
    """An attribute with the integers of a property, and None for the property's NO_LIMIT."""

    def checks(kind: Kind) -> Callable[[str, int | None], int | None]:
        assert isinstance(kind, Or)
        assert isinstance(kind.kind, Integer)
        least, most = kind.kind.minimum, kind.kind.maximum
        return lambda attribute, value: None if value is None else checked_number(attribute, value, least, most)

    def read(value: object) -> int | None:
        return value if isinstance(value, int) else None

    return PropertyView(name, checks, read, lambda value: NO_LIMIT if value is None else value, doc)


def path(name: str, doc: str) -> PropertyView[str | None, str | os.PathLike[str] | None]:
    """An attribute with the path of a file, and None for the property's empty text."""
    return PropertyView(name, lambda _: _checked_path, lambda value: value or None, lambda value: value or "", doc)


def _checked_path(attribute: str, value: str | os.PathLike[str] | None) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str | os.PathLike):
        raise TypeError(f"{attribute} must be a path or None, but got {type(value).__name__}.")
    return os.fspath(value)


def _checked_flag(attribute: str, value: bool) -> bool:
    check_type(attribute, value, bool)
    return value
