"""Files of compiled models: written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...files import check_not_read, check_target, write_whole
from ...ir import Graph, files_of
from ...sections import Bytes, sectioned_bytes


def check_place(path: str | os.PathLike[str], graph: Graph) -> None:
    """Checks that a compiled model can be written at a path, in place of nothing that it was compiled from.

    Args:
        path: of the file that is to be written.
        graph: what was compiled: constants of it may lie in files.

    Raises:
        InputError: the folder does not exist, the path is a folder, or one of those files.
    """
    check_target(Path(path))
    check_not_read(Path(path), files_of(graph))


def written(fields: Mapping[str, Any], sections: Mapping[str, Bytes], path: str | os.PathLike[str] | None) -> bytes:
    """The bytes of a file, which is written if there is a path, whole or not at all."""
    data = sectioned_bytes(fields, sections)
    if path is not None:
        write_whole(Path(path), data)
    return data
