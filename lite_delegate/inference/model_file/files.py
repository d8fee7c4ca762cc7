"""Files of compiled models: written whole or not at all, or to an open stream."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

from ...basics.counted import counted
from ...basics.files import check_not_read, check_target, write_whole
from ...errors import InputError
from ...ir import Graph, files_of
from ...sections.sections import Bytes, sectioned_bytes

Target = str | os.PathLike[str] | BinaryIO | None
"""The target of a written file: a path, or an open binary stream."""

Content = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO
"""The source of a file: its path, its bytes, or an open binary stream."""


def check_place(target: Target, graph: Graph) -> None:
    """Checks that a compiled model can be written to a path without overwriting a file of its constants.

    Args:
        target: of the file to write; any stream is accepted.
        graph: the compiled graph, whose constants may lie in files.

    Raises:
        InputError: the folder does not exist, or the path is a folder or a file of constants.
    """
    if isinstance(target, (str, os.PathLike)):
        check_target(Path(target))
        check_not_read(Path(target), files_of(graph))


def content_of(source: Content) -> str | os.PathLike[str] | bytes | bytearray | memoryview:
    """A path or bytes unchanged; the bytes of an open stream from its position to its end.

    Raises:
        InputError: the stream does not give bytes.
    """
    read = getattr(source, "read", None)
    if read is None:
        return cast("str | os.PathLike[str] | bytes | bytearray | memoryview", source)
    content = read()
    if not isinstance(content, (bytes, bytearray, memoryview)):
        raise InputError(f"The stream must give bytes, got {type(content).__name__}; open the file with mode 'rb'.")
    return content


def written(fields: Mapping[str, Any], sections: Mapping[str, Bytes], target: Target) -> bytes:
    """The bytes of a file; also writes them to a path, whole or not at all, or to an open stream.

    Raises:
        InputError: the folder of the file does not exist, the path is a folder, or the stream takes text.
    """
    if target is None:
        return sectioned_bytes(fields, sections)
    if isinstance(target, (str, os.PathLike)):
        data = sectioned_bytes(fields, sections)
        write_whole(Path(target), data)
        return data
    if isinstance(target, io.TextIOBase):
        raise InputError("The stream must take bytes, got one for text; open the file with mode 'wb'.")
    data = sectioned_bytes(fields, sections)
    if target.write(data) not in (None, len(data)):
        raise OSError(f"The stream did not take all of the {counted(len(data), 'byte')} of the compiled model.")
    return data
