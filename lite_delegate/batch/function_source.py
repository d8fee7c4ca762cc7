"""The file of a function of the user, which a job's results depend on."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..sections.digest import digest_of_file


def source_digest(function: Callable[..., Any]) -> str:
    """The digest of the file that has a function; "" where there is none.

    Raises:
        OSError: the file cannot be read.
    """
    try:
        file = inspect.getsourcefile(function)
    except TypeError:  # an object that can be called, or a function in C
        file = None
    return digest_of_file(Path(file))[0] if file is not None and os.path.exists(file) else ""
