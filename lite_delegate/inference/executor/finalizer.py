"""A finalizer: a run or a compilation is cancelled when the user's object is gone."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakMethod, finalize


def cancel_when_gone(thing: object, cancel: Callable[[], bool]) -> None:
    """Calls a method when a user's object is gone, if the owner of the method still exists.

    The finalizer holds the method weakly: an error of the owner may refer back to the object by its traceback.

    Args:
        thing: the user's object.
        cancel: a method of an owner that outlives the object while a run is under way.
    """
    finalize(thing, _cancel, WeakMethod(cancel)).atexit = False


def _cancel(method: WeakMethod[Callable[[], bool]]) -> None:
    cancel = method()
    if cancel is not None:
        cancel()
