"""Imports at the first use: of a package's names, so that a process pays only for the names it uses, and of packages
that come with extras.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def deferred(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package with deferred imports. It finds modules of the package, too.

    Args:
        package: its ``__name__``.
        homes: the module that each name is imported from, as an import in the package says it after the first dot:
            ``draft`` is a module of the package, ``.ir`` one beside it.
    """

    def __getattr__(name: str) -> Any:
        if name not in homes:
            return _module(package, name)
        value = getattr(import_module(f".{homes[name]}", package), name)
        setattr(sys.modules[package], name, value)  # the next time it is found without asking
        return value

    return __getattr__


def _module(package: str, name: str) -> Any:
    """A module of a package.

    Raises:
        AttributeError: the package has no module of that name.
    """
    wanted = f"{package}.{name}"
    try:
        if not name.startswith("_"):
            return import_module(wanted)
    except ModuleNotFoundError as e:
        if e.name != wanted:
            raise
    raise AttributeError(f"module {package!r} has no attribute {name!r}")


def by_family(package: str, families: Mapping[str, Sequence[str]], usual: str) -> Callable[[str], Any]:
    """A function from a name to its module in a package, which is imported at its first use.

    Args:
        package: the name of the package.
        families: the names of each module.
        usual: the module for all other names, which most processes need.
    """
    homes = {name: family for family, names in families.items() for name in names}

    def module_of(name: str) -> Any:
        return import_module(f"{package}.{homes.get(name, usual)}")

    return module_of


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
        from ..errors import InputError

        raise InputError(f"{use}: pip install 'lite-delegate[{extra}]'.") from e
