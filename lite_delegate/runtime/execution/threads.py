"""The number of threads that the math library may use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock, local
from typing import TYPE_CHECKING, Any

from ...basics.forking import free, free_in_children

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


@cache
def _controller() -> ThreadpoolController:
    """The math libraries that were loaded at the first limit, numpy's among them; a look takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _take_control() -> None:
    """Lets this thread set limits, and whoever comes next.

    threadpoolctl, where it has this method, ignores all threads but the first that set one, as long as that lives: the
    number is the process's, and threads would fight over it. Here ``_Limits`` decides among them.
    """
    for library in _controller().lib_controllers:
        clear = getattr(library, "clear_controlling_thread", None)
        if clear is not None:
            clear(force=True)


def _common_number() -> int:
    """The number of threads that each math library takes now; 0 without a library, or where the numbers differ."""
    numbers = {library.num_threads for library in _controller().lib_controllers}
    return numbers.pop() if len(numbers) == 1 else 0


class _Limits:
    """The limits in force: the first limit remembers the numbers from before, the end of the last restores them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._users = 0
        self._first: Any = None  # None as long as the libraries took as many before
        self._number = 0
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``: the limits of predictions of the parent end."""
        free(self._lock)
        if self._users:
            self._users = 0
            self._restore()

    def set(self, thread_num: int) -> None:
        """Sets a limit."""
        with self._lock:
            if self._users == 0:
                self._first, self._number = None, _common_number()
            if self._number != thread_num:
                _take_control()
                limiter = _controller().limit(limits=thread_num)
                _take_control()
                self._first = self._first or limiter
                self._number = thread_num
            self._users += 1

    def leave(self) -> None:
        """Ends a limit; the numbers are those from before the first one when nobody needs one any more."""
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._restore()

    def _restore(self) -> None:
        if self._first is None:
            return
        _take_control()
        self._first.restore_original_limits()
        _take_control()


class _Divided(local):
    """The share of the process's threads that this thread was given; 0: no share was given."""

    threads = 0


_LIMITS = _Limits()
_DIVIDED = _Divided()


@contextmanager
def limited_threads(thread_num: int) -> Iterator[None]:
    """Limits the math library to ``thread_num`` threads; 0 leaves it alone.

    The setting is the process's: predictions that ask for different numbers at the same time share the last one set.
    """
    if thread_num == 0 or _DIVIDED.threads:
        yield
        return
    _LIMITS.set(thread_num)
    try:
        yield
    finally:
        _LIMITS.leave()


@contextmanager
def divided_threads(share: int) -> Iterator[None]:
    """Limits the math library to a worker's share of the threads, whatever limits this thread sets inside.

    Args:
        share: the number of threads, or 0: limits that are set inside count.
    """
    if share == 0:
        yield
        return
    with limited_threads(share):
        _DIVIDED.threads = share
        try:
            yield
        finally:
            _DIVIDED.threads = 0
