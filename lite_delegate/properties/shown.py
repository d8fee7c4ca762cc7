"""Values of any kind as messages show them."""

from __future__ import annotations

from reprlib import Repr

_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = 60


def shown(value: object) -> str:
    """A value as messages show it: one line of bounded length, whatever it is."""
    return _SHORT.repr(value)


def as_text(value: object) -> str:
    """A value as a user would write it."""
    if isinstance(value, bool):
        return "YES" if value else "NO"
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value)
