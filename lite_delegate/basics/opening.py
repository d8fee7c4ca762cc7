"""Opening the files that users name: regular files only, and of bounded size where they are read whole."""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader

from .counted import counted

LARGEST_TEXT = 32 * 2**20
"""Bytes of the largest file that is read whole: reports, times, plans and settings have far fewer."""
UNFIT = (errno.EISDIR, errno.EINVAL, errno.EFBIG)
"""Errors of paths that are no regular file, or of files that are too large."""
_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"))
"""Without O_NONBLOCK, opening a pipe would wait for its writer."""


def open_regular(path: str | os.PathLike[str]) -> BufferedReader:
    """A regular file, open for reading; symbolic links are followed.

    The path is checked before it is opened, since opening a device can have effects, and the opened file is checked
    again, since the path may have changed meanwhile.

    Raises:
        OSError: the file does not exist, cannot be read, or is a folder, a pipe or a device.
        ValueError: the path has a NUL in it.
    """
    _check_regular(os.stat(path), path)
    descriptor = os.open(path, _FLAGS)
    try:
        _check_regular(os.fstat(descriptor), path)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_regular(path: str | os.PathLike[str], limit: int = LARGEST_TEXT) -> bytes:
    """The contents of a regular file.

    Args:
        path: of the file.
        limit: the most bytes that it may have; no more than one beyond that is read.

    Raises:
        OSError: as of ``open_regular``, or the file is larger than ``limit``.
        ValueError: the path has a NUL in it.
    """
    with open_regular(path) as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise OSError(errno.EFBIG, f"expected at most {counted(limit, 'byte')}, found more", os.fspath(path))
    return content


def _check_regular(status: os.stat_result, path: str | os.PathLike[str]) -> None:
    if stat.S_ISREG(status.st_mode):
        return
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    raise OSError(errno.EINVAL, "expected a regular file, found a pipe, a socket or a device", os.fspath(path))
