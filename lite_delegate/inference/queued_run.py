"""QueuedRun: a run that waits for a worker."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context


class QueuedRun:
    """A run that was handed to the workers, which compute it in the context of whoever made this.

    Args:
        run: computes it and ends it.
        drop: ends it without computing it.
        cancel: asks it to end.
    """

    __slots__ = ("_cancel", "_context", "_drop", "_run", "_unclaimed")

    def __init__(self, run: Callable[[], None], drop: Callable[[], None], cancel: Callable[[], bool]) -> None:
        self._run: Callable[[], None] | None = run
        self._drop: Callable[[], None] | None = drop
        self._cancel = cancel
        self._context = copy_context()
        self._unclaimed = [True]

    def claim(self) -> bool:
        """Whether the caller is to end the run; True once, for one of those who ask."""
        try:
            return self._unclaimed.pop()
        except IndexError:
            return False

    def __call__(self) -> None:
        """Computes the run, in a worker, unless somebody else has ended it."""
        if self.claim():
            run, self._run, self._drop = self._run, None, None
            assert run is not None
            self._context.run(run)

    def drop(self) -> None:
        """Ends the run, for who has claimed it; it leaves the line: nothing of it is kept there."""
        drop, self._run, self._drop = self._drop, None, None
        assert drop is not None
        self._context.run(drop)

    def cancel(self) -> bool:
        """Asks the run to end, wherever it is."""
        return self._cancel()
