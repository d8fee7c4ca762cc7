"""Garbage collection during a load: a load makes many objects and few cycles, so Python looks for cycles less often."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import Lock, get_ident
from typing import ParamSpec, TypeVar

from ...basics.forking import free, free_in_children

P = ParamSpec("P")
T = TypeVar("T")
RARELY = 100_000
"""The threshold of the garbage collector during a load, in new live objects.

It exceeds the objects of a network of a hundred nodes, and means a few tens of MB at most. With the usual 700, the
collector went fifty times through objects that stay (36 ms of 0.2 s)."""


class _Loads:
    """The loads under way in all threads, because Python has one collector for all of them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._threads: list[int] = []  # of the loads under way
        self._before: tuple[int, int, int] | None = None

    def begin(self) -> None:
        with self._lock:
            before = gc.get_threshold()
            if not self._threads and 0 < before[0] < RARELY:
                self._before = before
                gc.set_threshold(RARELY, *before[1:])
            self._threads.append(get_ident())

    def end(self) -> None:
        with self._lock:
            self._threads.remove(get_ident())
            self._settle()

    def after_fork(self) -> None:
        """See ``forking``: loads of the parent's other threads never end in the child process."""
        free(self._lock)
        self._threads = [each for each in self._threads if each == get_ident()]
        self._settle()

    def _settle(self) -> None:
        if self._threads or self._before is None:
            return
        before, self._before = self._before, None
        if gc.get_threshold() == (RARELY, *before[1:]):  # otherwise the user has set the threshold meanwhile
            gc.set_threshold(*before)


_loads = _Loads()
free_in_children(_loads)


@contextmanager
def collecting_rarely() -> Iterator[None]:
    """Lets Python look for cycles rarely inside the block. A threshold that is off or as high already stays."""
    _loads.begin()
    try:
        yield
    finally:
        _loads.end()


def loading(function: Callable[P, T]) -> Callable[P, T]:
    """Wraps a function so that Python looks for cycles rarely during its calls.

    A context manager as decorator would put a frame of ``contextlib`` between the user's line and the warning
    (``warned``).
    """

    @wraps(function)
    def loads(*args: P.args, **named: P.kwargs) -> T:
        with collecting_rarely():
            return function(*args, **named)

    return loads
