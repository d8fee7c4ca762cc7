"""Objects that threads of the parent were using when a process was forked: these threads are not in the child."""

from __future__ import annotations

import os
from operator import methodcaller
from typing import Any, Protocol
from weakref import WeakSet


class Forked(Protocol):
    """An object with locks, or with a count of its users."""

    def after_fork(self) -> None:
        """Frees, in a child process, locks and counts that only threads of the parent could have freed."""


_RENEW = methodcaller("_at_fork_reinit")
"""Of CPython's locks, for modules with threads: concurrent.futures and logging use it."""
_OBJECTS: WeakSet[Forked] = WeakSet()


def free_in_children(thing: Forked) -> None:
    """Lets an object free itself in every process that is forked from now on, as long as the object is there."""
    _OBJECTS.add(thing)


def free(lock: Any) -> None:
    """Frees a lock, or a condition, whoever holds it; as the standard library does with its own after a fork."""
    _RENEW(lock)


def _free_all() -> None:
    for thing in list(_OBJECTS):
        thing.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free_all)
