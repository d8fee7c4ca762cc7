"""The weight files beside a model file, found without reading the model."""

from __future__ import annotations

import re
from pathlib import Path

from ..basics.files import same_file
from ..errors import InputError
from ..flatbuffer.mapping import map_file
from ..flatbuffer.problem import FormatProblem
from .kinds import kind_of
from .onnx.protobuf.wire import outline

LONGEST_NAME = 4096
"""Bytes of the longest path that systems take."""
_ONNX_LOCATION = re.compile(rb"\x0a\x08location\x12")
"""``StringStringEntryProto`` with the key "location", up to the length of its value."""


def external_files(path: Path) -> list[Path]:
    """The existing files that a model file names, in order of their names; the list may have further files.

    1. ONNX: the locations in ``external_data``, found without a search through the contents of tensors.
    2. ``.ms``: files of the model's folder whose names are in the model file.
    3. TensorFlow Lite: no files.
    """
    try:
        content = map_file(path)
    except FormatProblem:  # reading the model reports the error
        return []
    if (kind_of(bytes(content[:8])) or path.suffix.lower()) == ".onnx":
        return sorted({path.parent / name for name in _onnx_locations(content) if (path.parent / name).is_file()})
    if bytes(content[4:8]) != b"MSL2":
        return []
    beside = [each for each in path.parent.iterdir() if each.suffix != ".ms" and each.is_file()]
    return sorted(each for each in beside if re.search(re.escape(each.name.encode()), content))


def files_of_model(path: Path) -> list[Path]:
    """A model file and the weight files beside it."""
    return [path, *external_files(path)]


def check_side_file(side: Path, model: Path) -> None:
    """Checks that a file for large constants, written with a model file, does not overwrite another model's.

    Raises:
        InputError: (a ValueError) there is one already, and the model file that is replaced does not name it.
    """
    if side.exists() and same_file(side, external_files(model)) is None:
        raise InputError(
            f"'{side}' is there already and does not belong to '{model}'; name another file, or remove this one."
        )


def _onnx_locations(content: memoryview) -> set[str]:
    try:
        content = memoryview(outline(content).rest)
    except FormatProblem:  # as above
        return set()
    found = set()
    for match in _ONNX_LOCATION.finditer(content):
        length, start = _varint(content, match.end())
        name = bytes(content[start : start + length])
        if length <= LONGEST_NAME and b"\0" not in name:
            found.add(name.decode(errors="surrogateescape"))
    return found


def _varint(content: memoryview, start: int) -> tuple[int, int]:
    """A number of one or two bytes, as protobuf writes it, and where it ends."""
    low, *high = bytes(content[start : start + 2]) or b"\0"
    if low < 128:
        return low, start + 1
    return low - 128 + (high[0] << 7 if high else 0), start + 2
