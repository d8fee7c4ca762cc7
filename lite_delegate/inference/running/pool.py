"""Pool: objects that are used by one thread at a time, and kept for the next use."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar


class HoldsMemory(Protocol):
    """An object that may hold device memory while idle."""

    def give_back_memory(self) -> int:
        """Gives the device memory back; returns its bytes."""


T = TypeVar("T", bound=HoldsMemory)


class Pool(Generic[T]):
    """Idle objects for their next use. Safe for several threads: a taken object belongs to its taker alone.

    Args:
        make: makes an object where none is idle.
        most_idle: the maximum number of idle objects; None: no limit.
    """

    def __init__(self, make: Callable[[], T], most_idle: int | None = None) -> None:
        self._make = make
        self._idle: deque[T] = deque(maxlen=most_idle)

    def take(self) -> T:
        """The idle object that was used last, or a new object."""
        try:
            return self._idle.pop()
        except IndexError:
            return self._make()

    def take_idle(self) -> T | None:
        """The idle object that was used last; None without an idle object."""
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def put(self, used: T) -> None:
        """Puts an object back for its next use."""
        self._idle.append(used)

    def release(self) -> int:
        """Drops the idle objects; gives the bytes that they held on devices."""
        nbytes = 0
        while (idle := self.take_idle()) is not None:
            nbytes += idle.give_back_memory()
        return nbytes
