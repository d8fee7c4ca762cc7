"""Progress: the progress of a long task, told to its waiting caller, and the places where the task may end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .cancel import cancel_point


class Progress:
    """The progress of a task, from 0 to 1. It never goes back.

    Attributes:
        fraction: from 0 to 1.
    """

    __slots__ = ("_high", "_low", "fraction")

    def __init__(self) -> None:
        self.fraction = 0.0
        self._low, self._high = 0.0, 1.0

    def tell(self, done: int, of: int) -> None:
        """So many of the steps of the part under way are done."""
        reached = self._low + (self._high - self._low) * done / max(of, 1)
        self.fraction = max(self.fraction, min(reached, 1.0))

    @contextmanager
    def part(self, low: float, high: float) -> Iterator[None]:
        """Progress told in the block counts as progress of a part of the whole."""
        before = self._low, self._high
        self._low, self._high = low, high
        self.tell(0, 1)
        try:
            yield
        finally:
            self._low, self._high = before


_PROGRESS: ContextVar[Progress | None] = ContextVar("lite_delegate_progress", default=None)
"""The progress of this thread's task; None where nobody waits to be told."""


@contextmanager
def telling(progress: Progress) -> Iterator[None]:
    """Tells the progress of this thread's task in the block."""
    token = _PROGRESS.set(progress)
    try:
        yield
    finally:
        _PROGRESS.reset(token)


def progressed(done: int, of: int) -> None:
    """Tells that ``done`` steps of ``of`` of the present part are done; a place to end as well.

    Raises:
        RequestCancelled: this thread's task was cancelled.
    """
    cancel_point()
    progress = _PROGRESS.get()
    if progress is not None:
        progress.tell(done, of)


@contextmanager
def part_of_progress(low: float, high: float) -> Iterator[None]:
    """Runs the block as a part of the whole task, from one fraction to another; it begins with a place to end."""
    cancel_point()
    progress = _PROGRESS.get()
    if progress is None:
        yield
        return
    with progress.part(low, high):
        yield
