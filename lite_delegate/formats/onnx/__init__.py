"""ONNX models (``.onnx``): read into graphs of our operators.

Needs the extra ``onnx``; the package is imported when the first model is read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...basics.counted import counted
from .protobuf.package import require_onnx

if TYPE_CHECKING:
    from ...ir import Graph

InputShapes = Mapping[str, Sequence[int]]


def read_onnx(path: str | os.PathLike[str], input_shapes: InputShapes | None = None) -> Graph:
    """The model in an ``.onnx`` file as a graph of our operators, verified.

    Names and order of inputs and outputs are the file's, and so are their shapes: images stay (N, C, H, W) at the
    boundary, with transposes around what works on (N, H, W, C).

    Args:
        path: the file. Weights in side files must be in its folder or below; they are mapped, not read.
        input_shapes: dimensions by input name, for inputs of which the file leaves some open.

    Raises:
        LiteDelegateError: the package ``onnx`` is missing; the message says how to install it.
        ModelFormatError: the file is missing, damaged, or breaks a rule of the format.
        InputError: ``input_shapes`` names no input, or a shape that the file does not allow.
        LimitError: calls of the model's functions make too many nodes.
        UnsupportedOperatorError: lists every node whose operands no tensor of ours can hold.
    """
    require_onnx()
    from .reader import read_file

    return read_file(Path(path), dict(input_shapes or {}))


def read_onnx_buffer(data: bytes | bytearray | memoryview, input_shapes: InputShapes | None = None) -> Graph:
    """Like ``read_onnx``, from the bytes of a file; weights in side files cannot be found.

    Raises:
        LiteDelegateError: as ``read_onnx``.
    """
    require_onnx()
    from .reader import read_buffer

    return read_buffer(bytes(data), None, f"model of {counted(len(data), 'byte')}", dict(input_shapes or {}))


__all__ = ["read_onnx", "read_onnx_buffer"]
