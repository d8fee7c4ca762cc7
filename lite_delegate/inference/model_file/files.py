"""Files of compiled models: written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...files import check_target, write_whole
from ...sections import Bytes, sectioned_bytes


def written(fields: Mapping[str, Any], sections: Mapping[str, Bytes], path: str | os.PathLike[str] | None) -> bytes:
    """The bytes of a file, which is written if there is a path, whole or not at all."""
    if path is not None:
        check_target(Path(path))
    data = sectioned_bytes(fields, sections)
    if path is not None:
        write_whole(Path(path), data)
    return data
