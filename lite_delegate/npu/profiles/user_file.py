"""User files named in options: regular files of bounded size."""

from __future__ import annotations

import errno

from ...basics.counted import counted
from ...basics.opening import UNFIT, read_regular
from ...errors import InputError


def read_user_file(path: str, where: str, limit: int) -> bytes:
    """The contents of a file.

    Args:
        path: the path of the file.
        where: the name of the file in messages.
        limit: the most bytes; reading stops there.

    Raises:
        InputError: the file does not exist, cannot be read, is no regular file (opening a pipe would wait for its
            writer), or is too large.
    """
    try:
        return read_regular(path, limit)
    except (OSError, ValueError) as e:
        code = getattr(e, "errno", None)
        if code == errno.EFBIG:
            raise InputError(f"{where} may have {counted(limit, 'byte')} at most, has more.") from e
        if code in UNFIT:
            raise InputError(f"{where} is not a file.") from e
        raise InputError(f"{where} cannot be read: {getattr(e, 'strerror', None) or e}.") from e
