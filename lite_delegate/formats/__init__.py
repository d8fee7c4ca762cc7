"""How models come in and go out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError

if TYPE_CHECKING:
    from ..ir import Graph


def read_model(path: Path, input_shapes: Mapping[str, Sequence[int]] | None = None) -> Graph:
    """The graph in a model file, verified.

    Args:
        path: the file. What it is shows in its first bytes; ``.onnx`` files have none that tell, so the suffix does.
        input_shapes: dimensions by input name; for ``.onnx`` models only.

    Raises:
        ModelFormatError: the file is missing, damaged, or of no format that is read; the message names the place.
        InputError: ``input_shapes`` are given for a format that does not take them, or do not fit.
        UnsupportedOperatorError: lists what our operators cannot say.
        LiteDelegateError: the format's package is missing; the message says how to install it.
    """
    if path.suffix.lower() == ".onnx" and _identifier(path) not in (b"MSL2", b"TFL3"):
        from .onnx import read_onnx

        return read_onnx(path, input_shapes)
    if input_shapes:
        raise InputError(f"'{path}': input_shapes are for .onnx models; resize the model instead.")
    from .ms import read_ms

    return read_ms(path)


def read_model_buffer(data: bytes | bytearray | memoryview) -> Graph:
    """The graph in the bytes of a model file, verified.

    Raises:
        ModelFormatError: the bytes are damaged, or not a ``.ms`` model; the message names the place.
    """
    from .ms import read_ms_buffer

    return read_ms_buffer(data)


def _identifier(path: Path) -> bytes:
    """The four bytes by which FlatBuffers formats tell what they are; empty where they cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(8)[4:]
    except OSError:
        return b""
