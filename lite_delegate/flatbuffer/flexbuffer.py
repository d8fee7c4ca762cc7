"""Checked reading of flexbuffers: the options of custom operators, as a map of names to numbers, text and integers.

A flexbuffer ends with the type and the width of its root. Vectors and maps are reached by offsets that count
backwards. The package's reader trusts them; here each position is checked before it is read.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import TypeAlias

from flatbuffers import flexbuffers

from ..basics.counted import counted
from .problem import FormatProblem

_INT, _UINT, _FLOAT, _STRING, _MAP, _BOOL = 1, 2, 3, 5, 9, 26
_ROWS = {11: _INT, 12: _UINT}
"""Vectors of integers of one kind, whose length stands in front."""
_SHORT_ROWS = {16: (_INT, 2), 17: (_UINT, 2), 19: (_INT, 3), 20: (_UINT, 3), 22: (_INT, 4), 23: (_UINT, 4)}
"""Those whose length their type says."""
_INDIRECT = {6: _INT, 7: _UINT, 8: _FLOAT}
_SIGNED = {1: "<b", 2: "<h", 4: "<i", 8: "<q"}
_UNSIGNED = {1: "<B", 2: "<H", 4: "<I", 8: "<Q"}
_REAL = {2: "<e", 4: "<f", 8: "<d"}
_MOST_ENTRIES = 1024

Option: TypeAlias = int | float | bool | str | list[int]
"""What an entry of a map may be."""


def encode_options(options: Mapping[str, int | float | bool]) -> bytes:
    """A map of numbers by name as a FlexBuffer."""
    return bytes(flexbuffers.Dumps(dict(options)))


def decode_options(data: bytes) -> dict[str, Option]:
    """The numbers, truth values, strings and vectors of integers of a map by name; other entries are left out.

    Raises:
        FormatProblem: the bytes are no flexbuffer whose root is a map, or a part lies outside.
    """
    if len(data) < 3:
        raise FormatProblem(f"expected a flexbuffer, found {counted(len(data), 'byte')}")
    reader = _FlexReader(data)
    packed, width = data[-2], data[-1]
    if packed >> 2 != _MAP:
        raise FormatProblem(f"expected a map, found the flexbuffer type {packed >> 2}")
    return reader.map(reader.back(len(data) - 2 - width, width), 1 << (packed & 3))


class _FlexReader:
    def __init__(self, data: bytes) -> None:
        self._data = data

    def map(self, position: int, width: int) -> dict[str, Option]:
        count = self._number(position - width, width, _UNSIGNED)
        keys_width = self._number(position - 2 * width, width, _UNSIGNED)
        keys = self.back(position - 3 * width, width)
        if count > _MOST_ENTRIES:
            raise FormatProblem(f"expected up to {_MOST_ENTRIES} options, found {count}")
        found = {}
        for i in range(int(count)):
            name = self._key(self.back(keys + i * int(keys_width), int(keys_width)))
            kind = int(self._number(position + int(count) * width + i, 1, _UNSIGNED))
            value = self._value(position + i * width, width, kind)
            if value is not None:
                found[name] = value
        return found

    def back(self, position: int, width: int) -> int:
        """The position that the offset at ``position`` points back to."""
        return position - int(self._number(position, width, _UNSIGNED))

    def _value(self, position: int, width: int, packed: int) -> Option | None:
        kind = packed >> 2
        if kind in _ROWS or kind in _SHORT_ROWS or kind == _STRING:
            return self._at_offset(self.back(position, width), 1 << (packed & 3), kind)
        if kind in _INDIRECT:
            position, width, kind = self.back(position, width), 1 << (packed & 3), _INDIRECT[kind]
        if kind == _FLOAT:
            return self._number(position, width, _REAL)
        if kind == _BOOL:
            return bool(self._number(position, width, _UNSIGNED))
        return self._number(position, width, _SIGNED if kind == _INT else _UNSIGNED) if kind in (_INT, _UINT) else None

    def _at_offset(self, position: int, width: int, kind: int) -> str | list[int]:
        """The string or vector of integers that begins at a position."""
        if kind in _SHORT_ROWS:
            element, count = _SHORT_ROWS[kind]
        else:
            element, count = _ROWS.get(kind, _UINT), int(self._number(position - width, width, _UNSIGNED))
        size = count if kind == _STRING else count * width
        if position < 0 or position + size > len(self._data):
            raise FormatProblem(
                f"{counted(size, 'byte')} at byte {position} must lie inside the "
                f"{counted(len(self._data), 'byte')} of options"
            )
        if kind == _STRING:
            return self._data[position : position + size].decode("utf-8", "backslashreplace")
        layouts = _SIGNED if element == _INT else _UNSIGNED
        return [int(self._number(position + i * width, width, layouts)) for i in range(count)]

    def _number(self, position: int, width: int, layouts: dict[int, str]) -> int | float:
        if width not in layouts:
            raise FormatProblem(f"expected a width in bytes of {', '.join(map(str, layouts))}, found {width}")
        if position < 0 or position + width > len(self._data):
            raise FormatProblem(
                f"{counted(width, 'byte')} at byte {position} must lie inside the "
                f"{counted(len(self._data), 'byte')} of options"
            )
        number: int | float = struct.unpack_from(layouts[width], self._data, position)[0]
        return number

    def _key(self, position: int) -> str:
        end = self._data.find(b"\0", position) if position >= 0 else -1
        if end < 0:
            raise FormatProblem(f"the name at byte {position} does not end")
        return self._data[position:end].decode("utf-8", "backslashreplace")
