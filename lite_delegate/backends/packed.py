"""Packed graph kernels, as caches keep them: a description in JSON, and parts of bytes that are used without a copy.

Little-endian: the length of the description (8 bytes), the description, zeros, then the parts, each at a multiple of
``ALIGNED``. What they are in checks that they were not altered, see ``sections``.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any

from ..basics.counted import counted
from ..errors import ModelFormatError

ALIGNED = 64
_LENGTH = struct.Struct("<Q")


def packed(kind: str, description: Mapping[str, Any], parts: Sequence[bytes]) -> bytes:
    """A description and parts as bytes.

    Args:
        kind: which format they are in, with its version.
        description: plain data.
        parts: in order.
    """
    plain = {"kind": kind, "lengths": [len(part) for part in parts], **description}
    text = json.dumps(plain, sort_keys=True).encode()
    pieces, size = [_LENGTH.pack(len(text)), text], _LENGTH.size + len(text)
    for part in parts:
        gap = -size % ALIGNED
        pieces += [bytes(gap), part]
        size += gap + len(part)
    return b"".join(pieces)


def unpacked(kind: str, data: memoryview) -> tuple[dict[str, Any], list[memoryview]]:
    """The fields and parts that ``packed`` was given; the parts are views.

    Raises:
        ModelFormatError: the bytes are not of this kind, or are cut off.
    """
    try:
        (length,) = _LENGTH.unpack_from(data)
        size = _LENGTH.size + length
        description = json.loads(bytes(data[_LENGTH.size : size]))
        lengths, found = description["lengths"], description["kind"]
    except (struct.error, ValueError, KeyError, TypeError) as e:
        raise ModelFormatError(f"This is no graph kernel of {kind}: {e}.") from e
    if found != kind:
        raise ModelFormatError(f"This is no graph kernel of {kind}, but of {found}: compile the model again.")
    parts = []
    for each in lengths:
        size += -size % ALIGNED
        parts.append(data[size : size + each])
        size += each
    if size != len(data):
        raise ModelFormatError(f"A graph kernel of {kind} must have {counted(size, 'byte')}, has {len(data):,}.")
    return description, parts
