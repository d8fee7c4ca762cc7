"""The message about a file that is not a ``.ms`` model: the format that it has."""

from __future__ import annotations

from ...basics.counted import counted
from ...flatbuffer.decoder import Decoder
from ...flatbuffer.problem import FormatProblem
from .schema import MS

_COMPILED = b"LDMODEL\x1a"
_VERSION = next(f for f in MS.tables[MS.root] if f.name == "version")


def what_it_is(buffer: memoryview) -> str | None:
    """The format of the bytes in words, None when they may be a ``.ms`` model."""
    found = bytes(buffer[4:8])
    if found == MS.identifier:
        return None
    if not len(buffer):
        return "the file is empty"
    if len(buffer) < 8:
        return f"it has only {counted(len(buffer), 'byte')}"
    if buffer[: len(_COMPILED)] == _COMPILED:
        return "it is a compiled model, as CompiledModel.export_model writes them: Core.import_model reads it"
    if found == b"TFL3":
        return "it is a TensorFlow Lite model"
    version = _version(buffer)
    if version:
        return f"it was written by '{version}', whose operator numbers mean other operators; convert it anew"
    return f"expected {MS.identifier!r} at byte 4, found {found!r}"


def _version(buffer: memoryview) -> str | None:
    """The version in a file from before there was an identifier; the root table looked the same then."""
    try:
        version = Decoder(buffer, MS).root_field(_VERSION)
    except FormatProblem:
        return None
    return version if isinstance(version, str) and version.startswith("MindSpore Lite") else None
