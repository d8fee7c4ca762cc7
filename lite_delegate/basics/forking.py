"""Objects and other processes: locks are freed in forked children, and objects of one process are not pickled."""

from __future__ import annotations

import os
import pickle
import sys
from operator import methodcaller
from typing import Any, NoReturn, Protocol
from weakref import WeakSet


class Forked(Protocol):
    """An object with locks, or with a count of its users."""

    def after_fork(self) -> None:
        """Frees, in a child process, locks and counts that only threads of the parent could have freed."""


_RENEW = methodcaller("_at_fork_reinit")
"""Of CPython's locks, for modules with threads: concurrent.futures and logging use it."""
_OBJECTS: WeakSet[Forked] = WeakSet()
_BY_VALUE = ("cloudpickle", "ray.cloudpickle", "joblib.externals.cloudpickle")
"""Modules that pickle functions and classes without a name in a module, too, for the engines that import them."""


def free_in_children(thing: Forked) -> None:
    """Lets an object free itself in every process that is forked from now on, as long as the object is there."""
    _OBJECTS.add(thing)


def free(lock: Any) -> None:
    """Frees a lock, or a condition, whoever holds it; as the standard library does with its own after a fork."""
    _RENEW(lock)


def stays_here(thing: object, instead: str) -> NoReturn:
    """The ``__reduce_ex__`` of an object that belongs to this process.

    Args:
        thing: the object.
        instead: the advice to the user.

    Raises:
        TypeError: always.
    """
    raise TypeError(f"{type(thing).__name__} belongs to its process, and can be neither pickled nor copied: {instead}.")


def check_pickles(thing: object, who: str, instead: str) -> None:
    """Checks that an object can go to another process.

    Args:
        thing: an object that the user made.
        who: the object in words, at the start of the message.
        instead: the advice to the user.

    Raises:
        TypeError: the object does not pickle; the message has the reason.
    """
    try:
        pickle.dumps(thing)
    except Exception as e:  # the object is the user's
        if not any(_pickles(sys.modules[name], thing) for name in _BY_VALUE if name in sys.modules):
            raise TypeError(f"{who} does not pickle ({type(e).__name__}: {e}): {instead}.") from e


def _pickles(pickler: Any, thing: object) -> bool:
    try:
        pickler.dumps(thing)
    except Exception:  # as above
        return False
    return True


def _free_all() -> None:
    for thing in list(_OBJECTS):
        thing.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free_all)
