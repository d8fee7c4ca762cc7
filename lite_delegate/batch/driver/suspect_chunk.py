"""SuspectChunk: a chunk whose workers ended, and the search for the rows that end them."""

from __future__ import annotations

import math

from ..sources.chunk import Chunk
from ..worker.job_order import Task

FREE_DEATHS = 1
"""The ends of workers that a chunk has free: the cause may lie elsewhere."""
MOST_DEATHS = 4
"""The ends of workers with the whole chunk after which all of its rows are errors."""
CONFIRMED = 2
"""The ends of workers after which a single row is the cause."""


class SuspectChunk:
    """A chunk whose worker ended.

    The chunk is tried once more. If its worker ends again, halves of it are run to see whether the worker ends, down to
    single rows, one task at a time. Rows that end their worker twice alone are excluded, and the chunk is run without
    them.

    Args:
        chunk: the chunk.
    """

    def __init__(self, chunk: Chunk) -> None:
        self._chunk = chunk
        self._deaths = 0
        self._excluded: dict[int, str] = {}
        self._spans: list[tuple[int, int]] = []
        self._alone: dict[int, int] = {}
        self._probes = 0

    @property
    def most_probes(self) -> int:
        """The probes that the search may take; rows that are suspected after them are excluded without proof."""
        return 32 + 16 * math.ceil(math.log2(self._chunk.rows + 1))

    def died(self, task: Task, ending: str) -> Task:
        """The next task, after a worker ended with one of this chunk's tasks."""
        if task.probed is None:
            return self._whole_died(ending)
        start, stop = task.probed
        reason = f"the worker ended {ending}"
        if self._probes >= self.most_probes:
            self._spans.append((start, stop))
            return self._without_proof(reason)
        if stop - start > 1:
            middle = (start + stop) // 2
            self._spans += [(middle, stop), (start, middle)]
            return self._next()
        self._alone[start] = self._alone.get(start, 0) + 1
        if self._alone[start] >= CONFIRMED:
            self._excluded[start] = reason
        else:
            self._spans.append((start, stop))
        return self._next()

    def survived(self) -> Task:
        """The next task, after a probe whose worker did not end."""
        return self._next()

    def _whole_died(self, ending: str) -> Task:
        self._deaths += 1
        if self._deaths <= FREE_DEATHS:
            return self._whole()
        if self._deaths > MOST_DEATHS:
            reason = f"the worker ended {ending} with the whole chunk, but with no row alone"
            self._excluded |= {row: reason for row in range(self._chunk.rows) if row not in self._excluded}
            return self._whole()
        self._spans = [(0, self._chunk.rows)] if self._chunk.rows == 1 else self._halves()
        return self._next()

    def _halves(self) -> list[tuple[int, int]]:
        middle = self._chunk.rows // 2
        return [(middle, self._chunk.rows), (0, middle)]

    def _without_proof(self, reason: str) -> Task:
        for start, stop in self._spans:
            self._excluded |= dict.fromkeys(range(start, stop), f"{reason} with rows near this one")
        self._spans.clear()
        return self._whole()

    def _next(self) -> Task:
        if not self._spans:
            return self._whole()
        self._probes += 1
        return Task(self._chunk, tuple(self._excluded.items()), self._spans.pop())

    def _whole(self) -> Task:
        return Task(self._chunk, tuple(self._excluded.items()))
