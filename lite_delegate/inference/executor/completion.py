"""Completion: the end of one run, for whoever waits for it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from threading import Lock

from lite_delegate_kernels import Array

from ...errors import RequestCancelled

_log = logging.getLogger("lite_delegate")


class Completion:
    """The end of one run, its callback included. Any number of threads may wait; nothing here takes a lock.

    An error that nobody asks for is logged when the completion goes, unless somebody wanted it: a cancellation.

    Attributes:
        is_over: whether the run has ended.
        error: of the run or of its callback; None where all went well.
        made: the outputs, where no callback was to be called; empty once they were taken.
        follower: of the run that this one's callback started, if any: who waits for this one waits for that, too.
    """

    __slots__ = ("_is_known", "_wakes", "error", "follower", "is_over", "made")

    def __init__(self) -> None:
        self.is_over = False
        self.error: Exception | None = None
        self.follower: Completion | None = None
        self.made: list[Array] = []
        self._is_known = True
        self._wakes: list[Callable[[], object]] = []

    def finish(self, error: Exception | None, *, is_known: bool) -> None:
        """The run has ended; those who wait wake up. The first call counts.

        Args:
            error: what they are to raise.
            is_known: whether somebody was told of it already.
        """
        if self.is_over:
            return
        self.error, self._is_known = error, is_known or error is None or isinstance(error, RequestCancelled)
        self.is_over = True
        while self._wakes:
            self._wakes.pop()()

    def when_over(self, wake: Callable[[], object]) -> None:
        """Lets a function be called, once, at the end of the run; at once where that is over. It must not block."""
        self._wakes.append(wake)
        if not self.is_over:
            return
        try:
            self._wakes.remove(wake)
        except ValueError:  # who ended it has called it
            return
        wake()

    def wait(self, seconds: float | None) -> bool:
        """Whether the run is over, after waiting for it for so long at most; None: without limit."""
        if self.is_over or seconds == 0:
            return self.is_over
        over = Lock()  # taken, and freed at the end of the run: an Event takes five times as long to make
        over.acquire()
        self.when_over(over.release)
        if over.acquire(timeout=-1 if seconds is None else seconds):
            return True
        with suppress(ValueError):  # who ends it has it already
            self._wakes.remove(over.release)
        return self.is_over

    def check(self) -> None:
        """Raises the error of a run that is over, if there is one."""
        self._is_known = True
        if self.error is not None:
            raise self.error

    def take(self) -> list[Array]:
        """The outputs, once."""
        made, self.made = self.made, []
        return made

    def __del__(self) -> None:
        if not self._is_known:
            _log.warning("An asynchronous run ended with an error that nobody asked for: %s", self.error)
