"""Files that a node got through the object store, by their content: one copy a node, which its processes map."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any

from ....basics.data_class import dataclass
from ....basics.files import write_whole
from ....cache.lock import locked
from ....errors import LiteDelegateError
from ....sections.digest import digest_of, digest_of_file
from .ray_package import ray_package

KEPT_DAYS = 7
"""The days after its last use that a file stays."""
WAIT_MS = 600_000
"""Milliseconds to wait for another process of the node that writes the same file."""


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file in the object store.

    Attributes:
        digest: of its content.
        content: a reference to the bytes, which are fetched only where they are needed.
    """

    digest: str
    content: Any


def sent_file(path: Path) -> SentFile:
    """Puts a file into the object store.

    Raises:
        OSError: the file cannot be read.
    """
    content = path.read_bytes()
    return SentFile(digest_of(content), ray_package().put(content))


def node_folder() -> Path:
    """The folder of this node's files, which is of this user alone.

    Raises:
        OSError: there can be no such folder.
    """
    folder = Path(tempfile.gettempdir()) / f"lite_delegate-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
        raise PermissionError(f"'{folder}' belongs to another user")
    return folder


def file_here(sent: SentFile) -> Path:
    """The path of a file on this node, which is fetched once.

    Raises:
        OSError: the file cannot be written.
    """
    folder = node_folder()
    path = folder / f"{sent.digest}.ldm"
    with locked(folder / f"{sent.digest}.lock", WAIT_MS):
        if _is_whole(path, sent.digest):
            os.utime(path)
        else:
            _remove_old(folder)
            write_whole(path, ray_package().get(sent.content))
    return path


def _is_whole(path: Path, digest: str) -> bool:
    try:
        return digest_of_file(path)[0] == digest
    except (OSError, LiteDelegateError):
        return False


def _remove_old(folder: Path) -> None:
    oldest = time.time() - KEPT_DAYS * 86_400
    for each in folder.glob("*.ldm"):
        if each.stat().st_mtime < oldest:
            each.unlink(missing_ok=True)
