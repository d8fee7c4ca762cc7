"""Deadline: a time limit, after which a run ends before its next step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ...delegate import CancelToken, current_token, reset_token, set_token


class Deadline(CancelToken):
    """A token that cancels a run after its deadline, or with the outer token of the thread.

    Args:
        until: the deadline, in nanoseconds of the clock.
        now: the clock.
        outer: the token of the thread before.
    """

    __slots__ = ("_now", "_outer", "_until", "_wanted")

    def __init__(self, until: int, now: Callable[[], int], outer: CancelToken | None) -> None:
        self._until, self._now, self._outer, self._wanted = until, now, outer, False
        super().__init__()

    @property
    def is_cancelled(self) -> bool:
        """Whether the run must end."""
        outer = self._outer is not None and self._outer.is_cancelled
        return self._wanted or outer or self._now() >= self._until

    @is_cancelled.setter
    def is_cancelled(self, wanted: bool) -> None:
        self._wanted = wanted


@contextmanager
def ending(until: int, now: Callable[[], int]) -> Iterator[None]:
    """Ends runs of the thread inside the block with ``RequestCancelled``, at their first step after ``until``."""
    before = set_token(Deadline(until, now, current_token()))
    try:
        yield
    finally:
        reset_token(before)
