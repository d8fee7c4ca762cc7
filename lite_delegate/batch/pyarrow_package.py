"""The package pyarrow, which reads and writes tables."""

from __future__ import annotations

from typing import Any

from ..basics.deferred import optional_package


def pyarrow() -> Any:
    """The package.

    Raises:
        InputError: it is not installed; the message names the extra.
    """
    return optional_package("pyarrow", "Data sets are read and written by pyarrow", "batch")
