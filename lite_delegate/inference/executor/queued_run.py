"""QueuedRun: a run that waits for a worker."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context


class QueuedRun:
    """A run that was handed to the workers, which compute it with the context variables of the caller.

    Args:
        end: ends the run; its argument says whether to compute the run first.
        cancel: asks the run to end.
    """

    __slots__ = ("_cancel", "_context", "_end", "_unclaimed")

    def __init__(self, end: Callable[[bool], None], cancel: Callable[[], bool]) -> None:
        self._end: Callable[[bool], None] | None = end
        self._cancel = cancel
        self._context = copy_context()
        self._unclaimed = [True]

    def claim(self) -> bool:
        """Whether the caller is to end the run; True for the first call only."""
        try:
            return self._unclaimed.pop()
        except IndexError:
            return False

    def __call__(self) -> None:
        """Computes the run in a worker, unless another thread has ended it."""
        if self.claim():
            self._ended(True)

    def drop(self) -> None:
        """Ends the run without computing it, for the thread that claimed it; the queue keeps no data of the run."""
        self._ended(False)

    def _ended(self, is_computed: bool) -> None:
        end, self._end = self._end, None
        assert end is not None
        self._context.run(end, is_computed)

    def cancel(self) -> bool:
        """Asks the run to end, queued or under way."""
        return self._cancel()
