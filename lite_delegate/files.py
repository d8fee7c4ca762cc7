"""Writing files whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import InputError

_NO_ROOM = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
"""Errors of writing into an open file, which do not say what file it is."""


@contextmanager
def temporary_beside(path: Path) -> Iterator[Path]:
    """A path in the folder of ``path``, to be written and then put in its place with ``os.replace``.

    Whatever is still there when the block ends is removed, so a failure leaves what was at ``path`` and nothing else.
    An OSError is about ``path``, which is what the caller asked for.
    """
    temporary = path.with_name(f".{path.name}.{os.urandom(16).hex()}.tmp")
    try:
        yield temporary
    except OSError as e:
        if e.filename == str(temporary) or (e.filename is None and e.errno in _NO_ROOM):
            e.filename, e.filename2 = str(path), None
        raise
    finally:
        temporary.unlink(missing_ok=True)


def check_target(path: Path) -> None:
    """Checks that a file can be written there, as far as that shows beforehand.

    Raises:
        InputError: (a ValueError) the folder does not exist or takes no new files, or the path is a folder.
    """
    if _is_special(path):
        return
    directory = path.parent
    if not directory.is_dir():
        raise InputError(f"'{directory}' is not a directory; cannot write '{path}'.")
    if path.is_dir():
        raise InputError(f"'{path}' is a directory, expected the name of a file.")
    if not os.access(directory, os.W_OK | os.X_OK):
        raise InputError(f"'{directory}' cannot be written to; cannot write '{path}'.")


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file whole or not at all: what was there stays until everything is written.

    What a link points to is written; a device or a pipe, such as ``/dev/null``, is written into.

    Raises:
        InputError: (a ValueError) as of ``check_target``.
        OSError: it cannot be written.
    """
    if _is_special(path):
        path.write_bytes(content)
        return
    path = path.resolve() if path.is_symlink() else path
    check_target(path)
    with temporary_beside(path) as new:
        new.write_bytes(content)
        os.replace(new, path)


def _is_special(path: Path) -> bool:
    """Whether there is something at the path that a file must not take the place of, and that is no folder."""
    return path.exists() and not path.is_file() and not path.is_dir()
