"""Images in PNG files, as arrays: what the packages of the list ship, so that no library of images is needed."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np

_CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}
"""By color type; palettes are left out."""


def read_png(content: bytes) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """(height, width, 3): an image of 8 bits a channel that is not interlaced. Source: the PNG specification, RFC 2083.

    Raises:
        ValueError: it is another kind of image.
    """
    position, header, packed = 8, b"", b""
    while position < len(content):
        size, kind = struct.unpack_from(">I4s", content, position)
        chunk = content[position + 8 : position + 8 + size]
        header, packed = (chunk if kind == b"IHDR" else header), packed + (chunk if kind == b"IDAT" else b"")
        position += size + 12
    width, height, depth, color, _, _, interlaced = struct.unpack(">IIBBBBB", header)
    if depth != 8 or interlaced or color not in _CHANNELS:
        raise ValueError(f"expected 8 bits, not interlaced, without a palette; found {depth}, {interlaced}, {color}")
    channels = _CHANNELS[color]
    lines = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * channels)
    image = np.zeros((height, width, channels), np.uint8)
    above = np.zeros((width, channels), np.int64)
    for y, line in enumerate(lines):
        above = _unfiltered(int(line[0]), line[1:].reshape(width, channels).astype(np.int64), above)
        image[y] = above
    return image[..., :3] if channels >= 3 else np.repeat(image[..., :1], 3, axis=2)


def _unfiltered(kind: int, line: Any, above: Any) -> Any:
    """A line of pixels, of which the file has the differences from the pixels left, above, or both."""
    if kind == 0:
        return line
    if kind == 2:
        return (line + above) % 256
    if kind == 1:
        return np.cumsum(line, axis=0) % 256
    made, left, corner = np.zeros_like(line), np.zeros(line.shape[1], np.int64), np.zeros(line.shape[1], np.int64)
    for x, difference in enumerate(line):
        upper = above[x]
        guess = (left + upper) // 2 if kind == 3 else _paeth(left, upper, corner)
        made[x] = left = (difference + guess) % 256
        corner = upper
    return made


def _paeth(left: Any, upper: Any, corner: Any) -> Any:
    estimate = left + upper - corner
    a, b, c = abs(estimate - left), abs(estimate - upper), abs(estimate - corner)
    return np.where((a <= b) & (a <= c), left, np.where(b <= c, upper, corner))
