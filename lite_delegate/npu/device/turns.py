"""Turns: the order of programs on one device that several threads drive."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from heapq import heapify, heappop, heappush
from itertools import count
from threading import Condition, RLock
from weakref import ref

from ...basics.forking import free, free_in_children
from ...delegate import SpanKind, TurnCause, current_token, span


class _HeldTurn:
    """A turn that somebody holds, or waits for."""

    __slots__ = ("__weakref__", "owner")

    def __init__(self, owner: object) -> None:
        self.owner = owner


class Turns:
    """The queue in front of a device.

    Programs run side by side as long as they find free compute tiles. Of the waiting programs, higher priority comes
    first, and within a priority the earlier arrival; no program overtakes the first in line, so a program that needs
    many tiles gets them.
    """

    def __init__(self) -> None:
        # taken as it is: an interrupt may come between the steps of a condition's own "with"; and more than once by
        # one thread: the garbage collector may cancel a run, at any point of any thread
        self._lock = RLock()
        self._changed = Condition(self._lock)
        self._busy = Fraction(0)
        self._held: set[ref[_HeldTurn]] = set()  # each leaves by itself when its turn is gone
        self._tickets = count()
        self._waiting: list[tuple[int, int]] = []
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``: nobody of the parent waits here, or runs."""
        free(self._changed)
        self._busy, self._held, self._waiting = Fraction(0), set(), []

    @contextmanager
    def turn(self, share: Fraction, priority: int = 0, owner: object = None) -> Iterator[None]:
        """Waits for its turn, and holds a share of the device until the block is left.

        Args:
            share: the share of the device, more than 0, 1 for the whole.
            priority: the priority of the program; higher priorities come first.
            owner: the object that stands for the program in records of waiting.

        Raises:
            RequestCancelled: the run was cancelled while it waited; the programs behind it have moved up.
        """
        held, mine = Fraction(0), _HeldTurn(owner)
        try:
            with self._lock:
                self._wait(share, priority, owner)
                self._busy += share
                held = share
                self._held.add(ref(mine, self._held.discard))
            yield
        finally:
            with self._lock:
                self._busy -= held
                del mine
                self._changed.notify_all()

    def _wait(self, share: Fraction, priority: int, owner: object) -> None:
        """Until the share is free and nobody else is first. The caller holds the lock."""
        me = (-priority, next(self._tickets))
        try:
            heappush(self._waiting, me)
            self._wait_for(lambda: self._waiting[0] == me and self._busy + share <= 1, owner)
        except BaseException:  # interrupted, or cancelled: the turns behind must not wait for this one
            self._waiting = [each for each in self._waiting if each != me]
            heapify(self._waiting)
            self._changed.notify_all()
            raise
        heappop(self._waiting)
        self._changed.notify_all()  # the next may fit beside this one

    def _wait_for(self, is_next: Callable[[], bool], owner: object) -> None:
        token = current_token()
        if token is None:
            self._told(is_next, owner)
            return
        with token.waking(self._wake):
            self._told(lambda: token.is_cancelled or is_next(), owner)
            token.check()

    def _told(self, is_over: Callable[[], bool], owner: object) -> None:
        """Waits until ``is_over``; a recorder of the thread is told the cause of waiting."""
        while not is_over():
            cause = self._cause(owner)
            with span(SpanKind.ENQUEUE, cause):
                self._changed.wait_for(partial(self._is_news, is_over, cause, owner))

    def _cause(self, owner: object) -> TurnCause:
        turns = [turn for each in list(self._held) if (turn := each()) is not None]
        is_same = owner is not None and any(turn.owner is owner for turn in turns)
        return TurnCause.OTHER_REQUEST if is_same else TurnCause.OTHER_PROGRAM

    def _is_news(self, is_over: Callable[[], bool], cause: TurnCause, owner: object) -> bool:
        return is_over() or self._cause(owner) is not cause

    def _wake(self) -> None:
        with self._lock:
            self._changed.notify_all()

    @property
    def waiting(self) -> int:
        """The number of programs that wait."""
        return len(self._waiting)
