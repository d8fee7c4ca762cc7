"""ChunkRunner: reads chunks, runs the model on their rows, and writes parts."""

from __future__ import annotations

import os
import platform
import time
from collections import Counter
from typing import Any

from ..parts.part import PartFacts, write_part
from ..sources.data_source import ReadRows
from .job_order import JobOrder, Task
from .row_runner import RowRunner

REASONS = 10
"""The reasons that a part counts one by one."""


class ChunkRunner:
    """Reads chunks, runs the model on their rows, and writes parts.

    Args:
        order: of the job.
    """

    def __init__(self, order: JobOrder) -> None:
        self._order = order
        self._rows = RowRunner(order)

    def run(self, task: Task) -> PartFacts:
        """Runs the rows of a task, and writes the part unless rows are only probed.

        Raises:
            OSError: the chunk cannot be read, or the part cannot be written.
            InputError: the source has changed, or is damaged.
        """
        table, facts = self.computed(task, None)
        if task.probed is None:
            self.write(table, facts)
        return facts

    def write(self, table: Any, facts: PartFacts) -> None:
        """Writes a part.

        Raises:
            OSError: it cannot be written.
        """
        write_part(self._order.folder, table, facts)

    def computed(self, task: Task, read: ReadRows | None) -> tuple[Any, PartFacts]:
        """The table of a part, and its facts.

        Args:
            task: the task.
            read: the rows of its chunk; None: they are read here.

        Raises:
            OSError: the chunk cannot be read.
            InputError: the source has changed, or is damaged.
        """
        started = time.perf_counter()
        order, chunk = self._order, task.chunk
        if read is None:
            read = order.read(chunk)
        table, errors = self._rows.results(read, dict(task.excluded), task.probed)
        reasons = dict(Counter(errors.values()).most_common(REASONS))
        who, seconds = f"{platform.node()}:{os.getpid()}", round(time.perf_counter() - started, 6)
        return table, PartFacts(order.key, chunk.index, chunk.rows, len(errors), reasons, seconds, who, self._rows.note)
