"""Packages of extras."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import InputError


def optional_package(name: str, use: str, extra: str) -> Any:
    """A module of a package that comes with an extra.

    Args:
        name: of the module.
        use: a sentence without its end that says what the package is for.
        extra: the name of the extra.

    Raises:
        InputError: the package is not installed; the message names the extra.
    """
    try:
        return import_module(name)
    except ImportError as e:
        raise InputError(f"{use}: pip install 'lite-delegate[{extra}]'.") from e
