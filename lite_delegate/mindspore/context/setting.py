"""Setting: an attribute of a context or of a device that is checked when it is set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")
Given = TypeVar("Given")


class Setting(Generic[T, Given]):
    """An attribute that has its default until it is set.

    Args:
        default: the value before the attribute is set. It must not be changed.
        checked: gives the value to keep, for the attribute's name and a value that a user sets; raises TypeError or
            ValueError with the attribute's name.
        doc: the docstring of the attribute, for ``help``.

    In messages the attribute's name follows the ``_where`` of its class (``"cpu."``).
    """

    def __init__(self, default: T, checked: Callable[[str, Given], T], doc: str) -> None:
        self._default = default
        self._checked = checked
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self._name, self._slot = getattr(owner, "_where", "") + name, f"_{name}"

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> T | Self:
        if instance is None:
            return self
        return self._kept(instance)

    def __set__(self, instance: object, value: Given) -> None:
        self._keep(instance, self._checked(self._name, value))

    def _kept(self, instance: object) -> T:
        value: T = instance.__dict__.get(self._slot, self._default)
        return value

    def _keep(self, instance: object, value: T) -> None:
        instance.__dict__[self._slot] = value


def check_type(name: str, value: object, expected: type[Any]) -> None:
    """Raises TypeError, in the words of the ``mindspore_lite`` package, unless ``value`` is of a type."""
    if not isinstance(value, expected) or (expected is int and isinstance(value, bool)):
        raise TypeError(f"{name} must be {expected.__name__}, but got {type(value).__name__}.")


def of_type(expected: type[T]) -> Callable[[str, T], T]:
    """A check that takes values of a type."""

    def checked(name: str, value: T) -> T:
        check_type(name, value, expected)
        return value

    return checked


def or_none(expected: type[T]) -> Callable[[str, T | None], T | None]:
    """A check that takes values of a type, and None."""

    def checked(name: str, value: T | None) -> T | None:
        if value is not None and not isinstance(value, expected):
            raise TypeError(f"{name} must be {expected.__name__} or None, but got {type(value).__name__}.")
        return value

    return checked


def choice_of(*choices: str) -> Callable[[str, str], str]:
    """A check that takes one of several words."""
    return lambda name, value: checked_choice(name, value, choices)


def checked_count(name: str, value: int) -> int:
    """``value`` if it is an int that is not negative.

    Raises:
        TypeError: the value is no int.
        ValueError: the value is negative.
    """
    return checked_number(name, value, 0)


def checked_number(name: str, value: int, least: int, most: int | None = None) -> int:
    """``value`` if it is an int from ``least`` to ``most``; None: without an upper bound.

    Raises:
        TypeError: the value is no int.
        ValueError: the value is out of range.
    """
    check_type(name, value, int)
    if value < least:
        raise ValueError(f"{name} must be {f'at least {least}' if least else 'a non-negative int'}, got {value}.")
    if most is not None and value > most:
        raise ValueError(f"{name} must be at most {most}, got {value}.")
    return value


def checked_choice(name: str, value: str, choices: Sequence[str]) -> str:
    """``value`` if it is one of ``choices``.

    Raises:
        TypeError: the value is no str.
        ValueError: the value is no choice.
    """
    check_type(name, value, str)
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}.")
    return value
