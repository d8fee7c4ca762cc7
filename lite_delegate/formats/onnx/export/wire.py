"""Fields of protobuf messages, as bytes. Source: protobuf.dev, "Encoding"."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from ..protobuf.fields import BYTES, VARINT, varint

_FIXED32 = 5

Pieces: TypeAlias = list[bytes | memoryview]
"""A message in parts, so that large contents need not be copied to become a part of it."""


def integer(field: int, value: int) -> bytes:
    """A field that holds an integer."""
    return varint(field << 3 | VARINT) + varint(value)


def single(field: int, value: float) -> bytes:
    """A field that holds a float32."""
    return varint(field << 3 | _FIXED32) + struct.pack("<f", value)


def text(field: int, value: str) -> bytes:
    """A field that holds a string."""
    return content(field, value.encode())


def content(field: int, value: bytes) -> bytes:
    """A field that holds bytes, or a message."""
    return varint(field << 3 | BYTES) + varint(len(value)) + value


def integers(field: int, values: Iterable[int]) -> bytes:
    """A repeated field of integers, packed."""
    return content(field, b"".join(map(varint, values)))


def singles(field: int, values: Sequence[float]) -> bytes:
    """A repeated field of float32, packed."""
    return content(field, struct.pack(f"<{len(values)}f", *values))


def message(field: int, pieces: Pieces) -> Pieces:
    """A field that holds a message in parts."""
    return [varint(field << 3 | BYTES) + varint(sum(map(len, pieces))), *pieces]


def shared(field: int, view: memoryview) -> Pieces:
    """A field that holds bytes which stay where they are: a view of single bytes."""
    return [varint(field << 3 | BYTES) + varint(len(view)), view]
