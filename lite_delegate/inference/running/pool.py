"""Pool: objects that one use at a time has for itself, and that wait for the next one."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar


class HoldsMemory(Protocol):
    """Something that may hold memory of devices while it waits."""

    def give_back_memory(self) -> int:
        """Gives the memory back; the bytes that it was."""


T = TypeVar("T", bound=HoldsMemory)


class Pool(Generic[T]):
    """Objects that wait for their next use. Safe for several threads: what is taken nobody else has.

    Args:
        make: makes one where none waits.
        most_idle: how many wait at most; None: all that were used at once.
    """

    def __init__(self, make: Callable[[], T], most_idle: int | None = None) -> None:
        self._make = make
        self._idle: deque[T] = deque(maxlen=most_idle)

    def take(self) -> T:
        """The one that was used last of those that wait, or a new one."""
        try:
            return self._idle.pop()
        except IndexError:
            return self._make()

    def take_idle(self) -> T | None:
        """The one that was used last of those that wait; None where none does."""
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def put(self, used: T) -> None:
        """Lets one wait for its next use."""
        self._idle.append(used)

    def release(self) -> int:
        """Gives up those that wait; the bytes that they held on devices."""
        nbytes = 0
        while (idle := self.take_idle()) is not None:
            nbytes += idle.give_back_memory()
        return nbytes
