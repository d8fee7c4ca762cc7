"""Files that users name in options: regular ones, of bounded size."""

from __future__ import annotations

import os
import stat

from ...errors import InputError


def read_user_file(path: str, where: str, limit: int) -> bytes:
    """The contents of a file.

    Args:
        path: of the file.
        where: what messages call it.
        limit: bytes at most; no more than that is read.

    Raises:
        InputError: it is not there, cannot be read, is no regular file (opening a pipe would wait for its writer), or
            is too large.
    """
    try:
        is_file = stat.S_ISREG(os.stat(path).st_mode)
        content = _start_of(path, limit + 1) if is_file else b""
    except (OSError, ValueError) as e:
        raise InputError(f"{where} cannot be read: {getattr(e, 'strerror', None) or e}.") from e
    if not is_file:
        raise InputError(f"{where} is not a file.")
    if len(content) > limit:
        raise InputError(f"{where} may have {limit} bytes at most, has more.")
    return content


def _start_of(path: str, count: int) -> bytes:
    with open(path, "rb") as file:
        return file.read(count)
