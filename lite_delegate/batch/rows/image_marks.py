"""The formats of encoded images by their first bytes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

MARKS: Mapping[bytes, str] = MappingProxyType(
    {
        b"\xff\xd8\xff": "JPEG",
        b"\x89PNG\r\n\x1a\n": "PNG",
        b"GIF87a": "GIF",
        b"GIF89a": "GIF",
        b"II*\0": "TIFF",
        b"MM\0*": "TIFF",
    }
)
"""The format for the first bytes of a file."""


def image_format(start: bytes) -> str:
    """The format of an image that begins with these bytes; "" if they are no mark that is known."""
    if start[:4] == b"RIFF" and start[8:12] == b"WEBP":
        return "WebP"
    return next((name for mark, name in MARKS.items() if start.startswith(mark)), "")
