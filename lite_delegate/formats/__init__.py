"""Model files: reading every format, writing our own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..basics.counted import counted
from ..basics.opening import open_regular
from ..errors import InputError, ModelFormatError
from .kinds import kind_of

if TYPE_CHECKING:
    from ..ir import Graph
    from .facts import FileFacts

__all__ = ["file_kind", "is_ms", "read_facts", "read_model", "read_model_buffer"]

_SUFFIXES = (".ms", ".onnx", ".tflite")


def read_model(
    path: Path, input_shapes: Mapping[str, Sequence[int]] | None = None, signature: str | None = None
) -> Graph:
    """The graph in a model file, verified.

    Args:
        path: the file. What it is shows in its first bytes, whatever it is called; its suffix counts where they do not
            tell.
        input_shapes: dimensions by input name, for inputs of which the file leaves some open.
        signature: which part of a ``.tflite`` model, None for the first; for these models only.

    Raises:
        ModelFormatError: the file is missing, damaged, or of no format that is read; the message names the place.
        InputError: ``input_shapes`` or ``signature`` do not fit, or a signature is given for a format that has none.
        UnsupportedOperatorError: lists the values that no tensor of this package can hold.
        LiteDelegateError: the format's package is missing; the message says how to install it.
    """
    suffix = _known_suffix(path, signature)
    if suffix == ".tflite":
        from .tflite import read_tflite

        return read_tflite(path, signature, input_shapes)
    if suffix == ".onnx":
        from .onnx import read_onnx

        return read_onnx(path, input_shapes)
    from .ms import read_ms

    graph = read_ms(path)
    if input_shapes:
        from .input_shapes import give_shapes

        give_shapes(graph.inputs, input_shapes)
    return graph


def read_facts(path: Path, signature: str | None = None) -> FileFacts:
    """The facts of a model file, in the file's own words; its operators need not be known.

    Args:
        path: the file.
        signature: which part of a ``.tflite`` model, None for the first; for these models only.

    Raises:
        ModelFormatError, InputError, LiteDelegateError: as ``read_model``.
    """
    suffix = _known_suffix(path, signature)
    if suffix == ".tflite":
        from .tflite.facts import tflite_facts

        return tflite_facts(path, signature)
    if suffix == ".onnx":
        from .onnx.protobuf.package import require_onnx

        require_onnx()
        from .onnx.facts import onnx_facts

        return onnx_facts(path)
    from .ms import read_ms
    from .ms.facts import ms_facts

    return ms_facts(read_ms(path))


def file_kind(path: Path) -> str:
    """The suffix that files of a file's format have: ".ms", ".onnx" or ".tflite"; "" where nothing tells."""
    kind = _head_kind(path)
    suffix = path.suffix.lower()
    return kind or (suffix if suffix in _SUFFIXES and suffix != ".ms" else "")


def _known_suffix(path: Path, signature: str | None) -> str:
    """The suffix of the format that a file is in, whatever its own is.

    Raises:
        ModelFormatError: it looks like a file of another format; the message says how such files are converted.
        InputError: a signature is given for a format that has none.
    """
    kind, suffix = _head_kind(path), path.suffix.lower()
    if not kind or suffix not in _SUFFIXES:
        from .foreign import foreign_file

        foreign = foreign_file(path)
        if foreign is not None:
            raise ModelFormatError(f"'{path}': {foreign}.")
    kind = kind or (suffix if suffix in _SUFFIXES else ".ms")
    if signature is not None and kind != ".tflite":
        raise InputError(f"'{path}': signatures are for .tflite models; this one has none.")
    return kind


def read_model_buffer(data: bytes | bytearray | memoryview, signature: str | None = None) -> Graph:
    """The graph in the bytes of a ``.ms``, ``.tflite`` or ``.onnx`` file, verified; their first bytes tell which it is.

    ONNX files have no identifier, but begin with the field of their version. Weights in side files cannot be found.

    Args:
        data: the bytes.
        signature: which part of a ``.tflite`` model, None for the first; for these models only.

    Raises:
        ModelFormatError: the bytes are damaged, or of no format that is read; the message names the place.
        InputError: there is no such signature.
        UnsupportedOperatorError: lists the values that no tensor of this package can hold.
        LiteDelegateError: the format's package is missing; the message says how to install it.
    """
    kind = kind_of(bytes(data[:8]))
    if kind == ".tflite":
        from .tflite import read_tflite_buffer

        return read_tflite_buffer(data, signature)
    if signature is not None:
        raise InputError(
            f"model of {counted(len(data), 'byte')}: signatures are for .tflite models; this one has none."
        )
    if kind == ".onnx":
        from .onnx import read_onnx_buffer

        return read_onnx_buffer(data)
    from .foreign import foreign_bytes

    foreign = None if kind == ".ms" else foreign_bytes(data)
    if foreign is not None:
        raise ModelFormatError(f"model of {counted(len(data), 'byte')}: {foreign}.")
    from .ms import read_ms_buffer

    return read_ms_buffer(data)


def is_ms(model: Path | bytes | bytearray | memoryview) -> bool:
    """True for a ``.ms`` file, or the bytes of one, which its own converter has optimized already."""
    return (_head_kind(model) if isinstance(model, Path) else kind_of(bytes(model[:8]))) == ".ms"


def _head_kind(path: Path) -> str:
    """The kind of file that the first eight bytes tell, see ``kind_of``; "" where they cannot be read."""
    try:
        with open_regular(path) as file:
            return kind_of(file.read(8))
    except (OSError, ValueError):
        return ""
