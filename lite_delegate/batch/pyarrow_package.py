"""The package pyarrow, which reads and writes tables."""

from __future__ import annotations

from typing import Any

from ..errors import InputError


def pyarrow() -> Any:
    """The package.

    Raises:
        InputError: it is not installed; the message names the extra.
    """
    try:
        import pyarrow
    except ImportError as e:
        raise InputError("Data sets are read and written by pyarrow: pip install 'lite-delegate[batch]'.") from e
    return pyarrow
