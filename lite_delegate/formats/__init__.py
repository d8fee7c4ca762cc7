"""How models come in and go out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..ir import Graph


def read_model(path: Path) -> Graph:
    """The graph in a model file, verified.

    Raises:
        ModelFormatError: the file is missing, damaged, or not a ``.ms`` model; the message names the place.
    """
    from .ms import read_ms

    return read_ms(path)


def read_model_buffer(data: bytes | bytearray | memoryview) -> Graph:
    """The graph in the bytes of a model file, verified.

    Raises:
        ModelFormatError: the bytes are damaged, or not a ``.ms`` model; the message names the place.
    """
    from .ms import read_ms_buffer

    return read_ms_buffer(data)
