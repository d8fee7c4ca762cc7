"""Filling: whether a batch that has fewer rows is filled up, or runs in a plan of its own size."""

from __future__ import annotations

from collections import defaultdict

MOST_SIZES = 4
"""The sizes that get plans of their own: each plan has its own copy of what its kernels keep."""


class Filling:
    """Chooses the size of the run of a batch that has fewer rows, such as the last one of each chunk.

    A batch is filled up until the filled rows of its size have cost as much as a plan.

    Args:
        rows: of a whole batch.
        plan_seconds: the cost of a plan for another size; None: there can be none.
    """

    def __init__(self, rows: int, plan_seconds: float | None) -> None:
        self._rows, self._plan_seconds = rows, plan_seconds
        self._lost: defaultdict[int, float] = defaultdict(float)
        self._planned: set[int] = set()

    def size_of(self, count: int) -> int:
        """The rows of the run of a batch that has ``count`` rows."""
        if count in self._planned:
            return count
        if self._plan_seconds is None or self._lost[count] < self._plan_seconds or len(self._planned) == MOST_SIZES:
            return self._rows
        self._planned.add(count)
        return count

    def ran(self, count: int, seconds: float) -> None:
        """A batch of ``count`` rows was filled up, and its run took so long."""
        self._lost[count] += seconds * (self._rows - count) / self._rows

    def cannot_plan(self) -> None:
        """The model does not run with fewer rows: all batches are filled up from now on."""
        self._plan_seconds = None
        self._planned.clear()
