"""Functions of the user, named ``module:function``; and the files that have them, which a job's results depend on."""

from __future__ import annotations

import importlib
import inspect
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..basics.similar import did_you_mean
from ..errors import InputError
from ..sections.digest import digest_of_file

FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
"""``module:function``."""


def user_function(option: str, spec: str, folder: str = "") -> Callable[..., Any]:
    """The function ``module:function``.

    Args:
        option: that names it, for messages: "--preprocess".
        spec: the name.
        folder: where modules are looked for, after the usual places; "": there alone.

    Raises:
        InputError: there is no such module or function, or the module cannot be imported.
    """
    if not FUNCTION.fullmatch(spec):
        raise InputError(f"{option} {spec}: expected MODULE:FUNCTION.")
    name, _, attribute = spec.partition(":")
    if folder and folder not in sys.path:
        sys.path.append(folder)
    try:
        module = importlib.import_module(name)
    except Exception as e:  # a module of the user may raise anything
        raise InputError(f"{option} {spec}: module '{name}' cannot be imported: {type(e).__name__}: {e}") from e
    found = getattr(module, attribute, None)
    if not callable(found):
        known = (each for each, value in vars(module).items() if callable(value))
        raise InputError(f"{option} {spec}: '{name}' has no function '{attribute}'{did_you_mean(attribute, known)}")
    return found  # type: ignore[no-any-return]


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
