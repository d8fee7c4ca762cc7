"""Saying what a file is that is not a ``.ms`` model."""

from __future__ import annotations

from lite_delegate_schemas._generated.layout import FILE_IDENTIFIER, ROOT, TABLES

from .decoder import Decoder
from .problem import FormatProblem

_VERSION = next(f for f in TABLES[ROOT] if f.name == "version")


def what_it_is(buffer: memoryview) -> str | None:
    """What the bytes are in words, None when they may be a ``.ms`` model."""
    found = bytes(buffer[4:8])
    if found == FILE_IDENTIFIER:
        return None
    if not len(buffer):
        return "the file is empty"
    if len(buffer) < 8:
        return f"it has only {len(buffer)} bytes"
    if found == b"TFL3":
        return "it is a TensorFlow Lite model"
    version = _version(buffer)
    if version:
        return f"it was written by '{version}', whose operator numbers mean other operators; convert it anew"
    return f"expected {FILE_IDENTIFIER!r} at byte 4, found {found!r}"


def _version(buffer: memoryview) -> str | None:
    """The version in a file from before there was an identifier; the root table looked the same then."""
    try:
        version = Decoder(buffer).root_field(_VERSION)
    except FormatProblem:
        return None
    return version if isinstance(version, str) and version.startswith("MindSpore Lite") else None
