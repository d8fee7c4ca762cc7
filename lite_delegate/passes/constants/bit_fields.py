"""Reading whole numbers of any width out of a stream of bits."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

Bytes = np.ndarray[Any, np.dtype[np.uint8]]
Numbers = np.ndarray[Any, np.dtype[np.int64]]
BitOrder = Literal["little", "big"]

CHUNK = 1 << 16
"""Numbers that are taken apart at once: their bits take a byte each meanwhile."""


class BitStreamError(ValueError):
    """A stream of bits that is too short, or that has impossible contents."""


class BitReader:
    """Reads a stream from front to back.

    Args:
        stream: the bytes.
        order: "little": the first bit of a byte is its lowest, and numbers come lowest bit first; "big": the
            other way round.
    """

    def __init__(self, stream: Bytes, order: BitOrder) -> None:
        self._stream = stream
        self._order: BitOrder = order
        self._position = 0

    @property
    def left(self) -> int:
        """Bits that have not been read."""
        return 8 * self._stream.size - self._position

    def number(self, width: int) -> int:
        """The next ``width`` bits as one number."""
        return int(self.numbers(1, width)[0])

    def numbers(self, count: int, width: int) -> Numbers:
        """The next ``count`` numbers of ``width`` bits (0 to 32) each, none below 0.

        Raises:
            BitStreamError: the stream ends before.
        """
        if count * width > self.left:
            raise BitStreamError(f"{count} numbers of {width} bits expected, {self.left} bits left")
        found = np.zeros(count, np.int64)
        if width:
            for first in range(0, count, CHUNK):
                part = found[first : first + CHUNK]
                part[:] = self._next(part.size, width)
        return found

    def _next(self, count: int, width: int) -> Numbers:
        start, end = self._position, self._position + count * width
        bits = np.unpackbits(self._stream[start // 8 : -(-end // 8)], bitorder=self._order)
        rows = bits[start % 8 : start % 8 + count * width].reshape(count, width)
        self._position = end
        weights = np.int64(1) << np.arange(width, dtype=np.int64)
        numbers: Numbers = rows @ (weights if self._order == "little" else weights[::-1])
        return numbers
