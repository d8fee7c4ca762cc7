"""Objects as one short line, for people."""

from __future__ import annotations

from reprlib import Repr

LONGEST = 200
"""Characters of a line."""


def line(thing: object, *names: str) -> str:
    """``<Class name=value, ...>`` with some attributes of an object, which may be half made."""
    given = (f"{name.lstrip('_')}={_shown(getattr(thing, name, None))}" for name in names)
    said = f"{type(thing).__name__} {', '.join(given)}".rstrip()
    return f"<{said if len(said) <= LONGEST - 2 else said[: LONGEST - 5] + '...'}>"


class _Short(Repr):
    """Element types are written out; of arrays, functions and other objects the type alone."""

    def repr_instance(self, x: object, level: int) -> str:
        return str(x) if hasattr(x, "kind") else f"<{type(x).__name__}>"

    def repr_dict(self, x: dict[str, object], level: int) -> str:
        return f"{len(x)} kernels"


_shown = _Short().repr
