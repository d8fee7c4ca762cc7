"""Tries: the number of graph kernels that may still be tried."""

from __future__ import annotations


class Tries:
    """The number of graph kernels that may still be tried.

    Args:
        limit: how many in all; None for as many as it takes.
    """

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self.used = 0

    def take(self, count: int = 1) -> bool:
        """Takes some; False if fewer are left, and none is taken."""
        if self._limit is not None and self.used + count > self._limit:
            return False
        self.used += count
        return True
