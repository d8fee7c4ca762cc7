"""Letting go: what nobody waits for any more is cancelled."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakMethod, finalize


def cancel_when_gone(thing: object, cancel: Callable[[], bool]) -> None:
    """Lets a method be called when an object is gone, if whose it is is still there.

    That is not kept: an error that it has may lead, by its traceback, back to the object.

    Args:
        thing: the user's.
        cancel: a method of something that outlives it for as long as something is under way.
    """
    finalize(thing, _cancel, WeakMethod(cancel)).atexit = False


def _cancel(method: WeakMethod[Callable[[], bool]]) -> None:
    cancel = method()
    if cancel is not None:
        cancel()
