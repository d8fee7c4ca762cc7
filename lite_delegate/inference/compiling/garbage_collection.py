"""Loading makes tens of thousands of objects and next to no cycles of them: Python looks for cycles less often then."""

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
"""Objects that are made, beyond those that went, before Python looks for cycles: more than a network of a hundred nodes
has, and a few tens of MB at most. With 700, as usual, it looked fifty times through what stays (36 ms of 0.2 s)."""


class _Loads:
    """The loads that are under way, in all threads: Python has one collector."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._threads: list[int] = []  # whose loads they are
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
        """See ``forking``: loads of other threads of the parent never end here."""
        free(self._lock)
        self._threads = [each for each in self._threads if each == get_ident()]
        self._settle()

    def _settle(self) -> None:
        if self._threads or self._before is None:
            return
        before, self._before = self._before, None
        if gc.get_threshold() == (RARELY, *before[1:]):  # else somebody else has set it meanwhile
            gc.set_threshold(*before)


_loads = _Loads()
free_in_children(_loads)


@contextmanager
def collecting_rarely() -> Iterator[None]:
    """Python looks for cycles rarely in the block, and then as often as before; where it looks for none, or as rarely
    already, that stays."""
    _loads.begin()
    try:
        yield
    finally:
        _loads.end()


def loading(function: Callable[P, T]) -> Callable[P, T]:
    """A function during which Python looks for cycles rarely.

    A context manager is a decorator as well, but puts a frame of ``contextlib`` between the user's line and what warns
    in it (``warned``).
    """

    @wraps(function)
    def loads(*args: P.args, **named: P.kwargs) -> T:
        with collecting_rarely():
            return function(*args, **named)

    return loads
