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
"""Where a file is written to: a path, or an open binary stream."""

Content = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO
"""What a file is read from: its path, its bytes, or an open binary stream."""


def check_place(target: Target, graph: Graph) -> None:
    """Checks that a compiled model can be written at a path, in place of nothing that it was compiled from.

    Args:
        target: of the file that is to be written; a stream may be any.
        graph: what was compiled: constants of it may lie in files.

    Raises:
        InputError: the folder does not exist, the path is a folder, or one of those files.
    """
    if isinstance(target, (str, os.PathLike)):
        check_target(Path(target))
        check_not_read(Path(target), files_of(graph))


def content_of(source: Content) -> str | os.PathLike[str] | bytes | bytearray | memoryview:
    """A path or bytes as they are; of an open stream, what it holds from its position to its end.

    Raises:
        InputError: the stream gives something else than bytes.
    """
    read = getattr(source, "read", None)
    if read is None:
        return cast("str | os.PathLike[str] | bytes | bytearray | memoryview", source)
    content = read()
    if not isinstance(content, (bytes, bytearray, memoryview)):
        raise InputError(f"The stream must give bytes, got {type(content).__name__}; open the file with mode 'rb'.")
    return content


def written(fields: Mapping[str, Any], sections: Mapping[str, Bytes], target: Target) -> bytes:
    """The bytes of a file, which is written if there is a path, whole or not at all; or written to an open stream.

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
