"""SuspectChunk: a chunk whose workers ended, and the search for the rows that end them."""

from __future__ import annotations

import math

from ...errors import InputError
from ..sources.chunk import Chunk
from ..worker.job_order import Task

FREE_DEATHS = 1
"""The ends of workers that a chunk has free: the cause may lie elsewhere."""
MOST_DEATHS = 4
"""The ends of workers with the whole chunk after which all of its rows are errors; with none of its rows, after which
the job stops."""
CONFIRMED = 2
"""The ends of workers after which a single row is the cause."""
NO_ROWS = (0, 0)
"""A probe that reads the chunk, and runs nothing."""


class SuspectChunk:
    """A chunk whose worker ended.

    The chunk is tried once more. If its worker ends again, the chunk is read without running a row; then halves of it
    are run to see whether the worker ends, down to single rows, one task at a time. Rows that end their worker twice
    alone are excluded, and the chunk is run without them.

    Args:
        chunk: the chunk.
    """

    def __init__(self, chunk: Chunk) -> None:
        self._chunk = chunk
        self._deaths = 0
        self._excluded: dict[int, str] = {}
        self._spans: list[tuple[int, int]] = []
        self._alone: dict[tuple[int, int], int] = {}
        self._probes = 0

    @property
    def most_probes(self) -> int:
        """The probes that the search may take; rows that are suspected after them are excluded without proof."""
        return 32 + 16 * math.ceil(math.log2(self._chunk.rows + 1))

    def died(self, task: Task, reason: str) -> Task:
        """The next task, after one of this chunk's tasks ended its worker, or raised an error that nobody foresaw.

        Raises:
            InputError: the cause is no row: the worker ends without running one.
        """
        if task.probed is None:
            return self._whole_died(reason)
        start, stop = task.probed
        if self._probes >= self.most_probes:
            self._spans.append((start, stop))
            return self._without_proof(reason)
        if stop - start > 1:
            middle = (start + stop) // 2
            self._spans += [(middle, stop), (start, middle)]
            return self._next()
        self._alone[task.probed] = self._alone.get(task.probed, 0) + 1
        if self._alone[task.probed] < (MOST_DEATHS if task.probed == NO_ROWS else CONFIRMED):
            self._spans.append(task.probed)
        elif task.probed == NO_ROWS:
            raise self._no_row(reason)
        else:
            self._excluded[start] = reason
        return self._next()

    def survived(self) -> Task:
        """The next task, after a probe whose worker did not end."""
        return self._next()

    def _whole_died(self, reason: str) -> Task:
        self._deaths += 1
        if self._deaths <= FREE_DEATHS:
            return self._whole()
        if len(self._excluded) == self._chunk.rows:
            raise self._no_row(reason)
        if self._deaths > MOST_DEATHS:
            said = f"{reason} with the whole chunk, but with no row alone"
            self._excluded |= {row: said for row in range(self._chunk.rows) if row not in self._excluded}
            return self._whole()
        rows = self._chunk.rows
        self._spans = [(0, rows)] if rows == 1 else [(rows // 2, rows), (0, rows // 2)]
        if NO_ROWS not in self._alone:
            self._spans.append(NO_ROWS)
        return self._next()

    def _no_row(self, reason: str) -> InputError:
        return InputError(f"{self._chunk.where} cannot be read or written: {reason}, although it ran no row.")

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
