"""Names of a package that are imported when they are first asked for, so that a process pays for what it uses."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def deferred(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package, which type checkers see as ordinary imports. It finds modules of it, too.

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
        AttributeError: it has none of that name.
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
    """Gives for a name the module of a package that is for it, imported when it is first asked for.

    Args:
        package: the name of the package.
        families: by module, what it is for.
        usual: the module for all other names, which most processes need.
    """
    homes = {name: family for family, names in families.items() for name in names}

    def module_of(name: str) -> Any:
        return import_module(f"{package}.{homes.get(name, usual)}")

    return module_of
