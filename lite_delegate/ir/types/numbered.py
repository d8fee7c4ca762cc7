"""Numbered: numbers with names, which print as ``DataType.FLOAT32``, as in the ``mindspore_lite`` package."""

from __future__ import annotations

from enum import Enum, IntEnum


class Numbered(IntEnum):
    """An ``IntEnum`` whose members print by name; the base of the package's enumerations."""

    def __str__(self) -> str:
        return Enum.__str__(self)

    def __format__(self, format_spec: str) -> str:
        return format(str(self), format_spec)
