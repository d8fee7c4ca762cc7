"""Shared: a resource of one user or several, given back when the last of them lets go."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import RLock

from ...basics.failures import said
from ...basics.forking import free, free_in_children
from ...basics.unforeseen import FAILURES
from ...delegate import Kernel
from ...errors import LiteDelegateError

_log = logging.getLogger("lite_delegate")


class Shared:
    """A resource that several plans use, given back once: when the last plan lets go. Safe for several threads.

    An error of giving back is logged: the plan that lets go last did not cause it.

    Args:
        give_back: releases the resource; called once.
        what: the name of the resource in messages: "graph kernel 'G'".
    """

    def __init__(self, give_back: Callable[[], object], what: str) -> None:
        self._give_back = give_back
        self._what = what
        self._users = 1
        self._lock = RLock()  # letting go may be the garbage collector's doing, at any point of any thread
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``."""
        free(self._lock)

    def share(self) -> Shared:
        """One more user, who lets go by itself.

        Raises:
            LiteDelegateError: it was given back already.
        """
        with self._lock:
            if self._users == 0:
                raise LiteDelegateError(f"{self._what} was given back already, it cannot be used any more.")
            self._users += 1
        return self

    def let_go(self) -> None:
        """One user less; each lets go once."""
        with self._lock:
            self._users -= 1
            is_last = self._users == 0
        if not is_last:
            return
        try:
            self._give_back()
        except FAILURES as e:  # it is of no use any more, whatever it says
            _log.warning("%s could not be given back: %s", self._what, said(e))


def shared_kernel(kernel: Kernel) -> Shared:
    """A graph kernel that was prepared, even without success; giving it back releases it."""
    return Shared(kernel.release, f"graph kernel '{kernel.name}'")
