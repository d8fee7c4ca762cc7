"""Cancelling: how a run learns that nobody wants its result any more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from time import perf_counter_ns

from ...basics.words.one_line import OneLine
from ...errors import RequestCancelled


class CancelToken(OneLine):
    """One run's wish to end. Whoever may end it calls ``cancel``; the run looks at it now and then.

    Nothing here takes a lock, because the garbage collector may cancel, at any point of any thread.

    Attributes:
        is_cancelled: whether the run is to end.
        cancelled_ns: when that was first asked for, by ``time.perf_counter_ns``; 0 where it was not.
        looks: how often ``cancel_point`` was called in the run.
    """

    is_cancelled = False
    cancelled_ns = 0
    looks = 0
    _wakes: tuple[Callable[[], object], ...] = ()

    def cancel(self) -> None:
        """Asks the run to end, and wakes it where it waits. Returns at once."""
        self.mark()
        for wake in self._wakes:
            wake()

    def mark(self) -> None:
        """Asks the run to end, and leaves it to ``cancel`` to wake it."""
        if not self.is_cancelled:
            self.cancelled_ns = perf_counter_ns()
            self.is_cancelled = True

    def check(self) -> None:
        """Raises RequestCancelled once the run is to end."""
        if self.is_cancelled:
            raise cancelled()

    @contextmanager
    def waking(self, wake: Callable[[], object]) -> Iterator[None]:
        """Lets ``cancel`` call a function while the block waits for something.

        Args:
            wake: never blocks, and may be called at any point of any thread, also when the block has been left.
        """
        self._wakes = (*self._wakes, wake)
        try:
            self.check()  # cancelled before anybody could be woken
            yield
        finally:
            self._wakes = tuple(each for each in self._wakes if each is not wake)

    def _line(self) -> str:
        return "cancelled" if self.is_cancelled else ""


_TOKEN: ContextVar[CancelToken | None] = ContextVar("lite_delegate_cancel_token", default=None)
"""The token of the run that this thread computes; None where nobody can cancel."""


def current_token() -> CancelToken | None:
    """The token that cancels the run of this thread; None where the run cannot be cancelled."""
    return _TOKEN.get()


def set_token(token: CancelToken | None) -> Token[CancelToken | None]:
    """Lets this thread compute a run that a token can cancel.

    Returns:
        The argument for ``reset_token``.
    """
    return _TOKEN.set(token)


def reset_token(before: Token[CancelToken | None]) -> None:
    """Gives the thread its former token back."""
    _TOKEN.reset(before)


def cancel_point() -> None:
    """A place where a run may end before its result is there; long graph kernels call this function now and then.

    While nobody can cancel, the call costs a look-up.

    Raises:
        RequestCancelled: the run that this thread computes was cancelled. Do not catch it: unfinished work is dropped.
    """
    token = _TOKEN.get()
    if token is not None:
        token.looks += 1
        if token.is_cancelled:
            raise cancelled()


def cancelled() -> RequestCancelled:
    """The error of a run that was cancelled."""
    return RequestCancelled("The run of the request was cancelled.")
