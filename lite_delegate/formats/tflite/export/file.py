"""TfliteFile: the bytes of a file, in pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....basics.data_class import dataclass
from ....flatbuffer.encoder import Bytes, Encoded

ALIGNMENT = 16
"""Of contents behind the flatbuffer."""


@dataclass(frozen=True, slots=True)
class TfliteFile:
    """A file, not written yet; constants are where they were.

    Attributes:
        flatbuffer: the model.
        inputs: the names of the model's inputs.
        outputs: the names of the model's outputs.
        behind: offsets and contents of constants behind the flatbuffer, where the whole is larger than one may be.
    """

    flatbuffer: Encoded
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    behind: Sequence[tuple[int, Bytes]] = ()

    def pieces(self) -> Iterator[memoryview | bytes]:
        """The bytes from front to back, constants among them as they are."""
        end = 0
        for piece in self.flatbuffer.pieces():
            yield piece
            end += len(piece)
        for offset, data in self.behind:
            yield bytes(offset - end)
            yield data.data
            end = offset + data.size

    def content(self) -> bytes:
        """All bytes in one."""
        return b"".join(self.pieces())
