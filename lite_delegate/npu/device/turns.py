"""Turns: whose program runs when, where several threads drive one device."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from heapq import heapify, heappop, heappush
from itertools import count
from threading import Condition, Lock

from ...forking import free, free_in_children


class Turns:
    """The queue in front of a device.

    Programs run side by side as long as they find compute tiles that no other uses. Of those that wait, the ones of
    higher priority come first, and of one priority those that came first; nobody overtakes the first in line, so a
    program that needs many tiles gets them.
    """

    def __init__(self) -> None:
        self._lock = Lock()  # taken as it is: an interrupt may come between the steps of a condition's own "with"
        self._changed = Condition(self._lock)
        self._busy = Fraction(0)
        self._tickets = count()
        self._waiting: list[tuple[int, int]] = []
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``: nobody of the parent waits here, or runs."""
        free(self._changed)
        self._busy, self._waiting = Fraction(0), []

    @contextmanager
    def turn(self, share: Fraction, priority: int = 0) -> Iterator[None]:
        """Waits for its turn, and holds a share of the device until the block is left.

        Args:
            share: of the device, more than 0, 1 for the whole.
            priority: of the program; higher ones come first.
        """
        held = Fraction(0)
        try:
            with self._lock:
                self._wait(share, priority)
                self._busy += share
                held = share
            yield
        finally:
            with self._lock:
                self._busy -= held
                self._changed.notify_all()

    def _wait(self, share: Fraction, priority: int) -> None:
        """Until the share is free and nobody else is first. The caller holds the lock."""
        me = (-priority, next(self._tickets))
        try:
            heappush(self._waiting, me)
            self._changed.wait_for(lambda: self._waiting[0] == me and self._busy + share <= 1)
        except BaseException:  # interrupted: those behind must not wait for this one
            self._waiting = [each for each in self._waiting if each != me]
            heapify(self._waiting)
            self._changed.notify_all()
            raise
        heappop(self._waiting)
        self._changed.notify_all()  # the next may fit beside this one

    @property
    def waiting(self) -> int:
        """The number of programs that wait."""
        return len(self._waiting)
