"""The files beside a model file that it takes weights from, found without reading the model."""

from __future__ import annotations

import re
from pathlib import Path

from ..flatbuffer.mapping import map_file
from ..flatbuffer.problem import FormatProblem
from .onnx.wire import outline

_ONNX_LOCATION = re.compile(rb"\x0a\x08location\x12")
"""``StringStringEntryProto`` with the key "location", up to the length of its value."""


def external_files(path: Path) -> list[Path]:
    """The files that a model file names and that are there, in order of their names; more are no harm.

    1. ONNX: what ``external_data`` has as location, which the contents of tensors need not be searched for.
    2. ``.ms``: files of the same folder whose names are in it.
    3. TensorFlow Lite has none.
    """
    try:
        content = map_file(path)
    except FormatProblem:  # whoever reads the model says so
        return []
    if path.suffix.lower() == ".onnx":
        return sorted({path.parent / name for name in _onnx_locations(content) if (path.parent / name).is_file()})
    if bytes(content[4:8]) != b"MSL2":
        return []
    beside = [each for each in path.parent.iterdir() if each.suffix != ".ms" and each.is_file()]
    return sorted(each for each in beside if re.search(re.escape(each.name.encode()), content))


def _onnx_locations(content: memoryview) -> set[str]:
    try:
        content = memoryview(outline(content).rest)
    except FormatProblem:  # as above
        return set()
    found = set()
    for match in _ONNX_LOCATION.finditer(content):
        length, start = content[match.end()], match.end() + 1
        name = bytes(content[start : start + length])
        if length < 128 and b"\0" not in name:
            found.add(name.decode(errors="replace"))
    return found
