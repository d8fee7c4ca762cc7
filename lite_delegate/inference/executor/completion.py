"""Completion: the end of one run, for the threads that wait for it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Lock

from lite_delegate_kernels import Array

from ...errors import RequestCancelled

_log = logging.getLogger("lite_delegate")


class Completion:
    """The end of one run, its callback included. Any number of threads may wait; no method takes a lock.

    An error that was never raised to a waiting thread is logged at the end of the completion; a cancellation is not.

    Attributes:
        is_over: whether the run has ended.
        error: of the run or of its callback; None after a success.
        made: the outputs of a run without callback; empty after ``take``.
        follower: the completion of the run that the callback started, if any; ``wait`` of a request waits for both
            runs.
    """

    is_over = False  # class defaults, because few runs set these attributes
    error: Exception | None = None
    follower: Completion | None = None
    made: Sequence[Array] = ()
    _unheard: _Unheard | None = None

    def __init__(self) -> None:
        self._wakes: list[Callable[[], object]] = []

    def finish(self, error: Exception | None, *, is_known: bool) -> None:
        """Marks the run as over and wakes the waiting threads. Only the first call counts.

        Args:
            error: raised in the waiting threads.
            is_known: whether the user was told of the error already.
        """
        if self.is_over:
            return
        if error is not None:
            self.error = error
            if not (is_known or isinstance(error, RequestCancelled)):
                self._unheard = _Unheard(error)
        self.is_over = True
        while self._wakes:
            self._wakes.pop()()

    def when_over(self, wake: Callable[[], object]) -> None:
        """Calls a function once at the end of the run, or now if the run is over. The function must not block."""
        self._wakes.append(wake)
        if not self.is_over:
            return
        try:
            self._wakes.remove(wake)
        except ValueError:  # ``finish`` has called ``wake``
            return
        wake()

    def wait(self, seconds: float | None) -> bool:
        """Waits for the run, at most for some seconds (None: without limit); gives whether the run is over."""
        if self.is_over or seconds == 0:
            return self.is_over
        over = Lock()  # freed at the end of the run; an Event takes five times as long to make
        over.acquire()
        wakes = self._wakes
        wakes.append(over.release)
        if self.is_over or over.acquire(True, -1 if seconds is None else seconds):
            return True
        with suppress(ValueError):  # ``finish`` has taken ``release`` already
            wakes.remove(over.release)
        return self.is_over

    def check(self) -> None:
        """Raises the error of a run that is over and failed."""
        if self.error is not None:
            if self._unheard is not None:
                self._unheard.is_heard = True
            raise self.error

    def take(self) -> Sequence[Array]:
        """The outputs of the run; a second call gives none."""
        made, self.made = self.made, ()
        return made


class _Unheard:
    """An error of a run that no waiting thread got yet. Only failed runs need this object, and pay for its end."""

    def __init__(self, error: Exception) -> None:
        self._error, self.is_heard = error, False

    def __del__(self) -> None:
        if not self.is_heard:
            _log.warning("An asynchronous run ended with an error that nobody asked for: %s", self._error)
