"""Versions of the device's driver: dot-separated numbers, compared field by field."""

from __future__ import annotations

from ...errors import InputError


def version_fields(version: str) -> tuple[int, ...]:
    """The fields of a version, without zeros at the end: a field that is missing is 0, so "1.2" is "1.2.0".

    Raises:
        InputError: (a ValueError) a field is not a number.
    """
    fields = version.split(".")
    if not all(field.isascii() and field.isdigit() for field in fields):
        raise InputError(f"A driver version must be numbers between dots, such as '100.320.011.019', got '{version}'.")
    numbers = [int(field) for field in fields]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def at_least(version: str, needed: str) -> bool:
    """True when ``version`` is ``needed`` or newer.

    Args:
        version: of the driver; empty means the newest, which every feature is in.
        needed: empty means that every driver will do.

    Raises:
        InputError: (a ValueError) a field of either is not a number.
    """
    return not version or not needed or version_fields(version) >= version_fields(needed)
