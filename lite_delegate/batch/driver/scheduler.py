"""The scheduler: gives tasks to an engine, and goes on whatever becomes of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from ...errors import InputError
from ..engines.engine import BatchEngine, Event, TaskDone, TaskFailed, TaskRaised, WorkerDied, WorkerUnready
from ..parts.part import PartFacts
from ..sources.chunk import Chunk
from ..worker.job_order import Task
from .suspect_chunk import SuspectChunk

POLL_SECONDS = 1.0
"""Seconds between looks at an interrupt while nothing happens."""
MOST_UNREADY = 5
"""Workers in a row that cannot be made, after which the job stops."""


class Scheduler:
    """Gives chunks to an engine until all of them are done.

    Args:
        engine: started for the job.
        on_part: is called with the facts of each part, once it is written. An exception stops the job.
    """

    def __init__(self, engine: BatchEngine, on_part: Callable[[PartFacts], None]) -> None:
        self._engine, self._on_part = engine, on_part
        self._suspects: dict[int, SuspectChunk] = {}
        self._again: deque[Task] = deque()
        self._in_flight: dict[int, Task] = {}
        self._unready = 0
        self.deaths = 0

    def run(self, chunks: Iterable[Chunk]) -> None:
        """Runs all chunks.

        Raises:
            InputError: the source or the output folder is at fault, or no worker can be made.
        """
        left = iter(chunks)
        while True:
            while self._engine.room > 0 and (task := self._next(left)) is not None:
                self._in_flight[task.chunk.index] = task
                self._engine.submit(task)
            if not self._in_flight:
                return
            for event in self._engine.wait(POLL_SECONDS):
                self._handle(event)

    def _next(self, left: Iterable[Chunk]) -> Task | None:
        if self._again:
            return self._again.popleft()
        chunk = next(iter(left), None)
        return None if chunk is None else Task(chunk)

    def _handle(self, event: Event) -> None:
        del self._in_flight[event.task.chunk.index]
        if isinstance(event, WorkerUnready):
            self._unready += 1
            if event.is_lasting or self._unready >= MOST_UNREADY:
                raise InputError(f"No worker can be made: {event.text}")
            self._again.append(event.task)
            return
        if isinstance(event, TaskFailed):
            raise InputError(f"{event.text} (with {event.task.chunk.where})")
        self._unready = 0
        if isinstance(event, WorkerDied):
            self.deaths += 1
            self._suspect(event.task, f"the worker ended {event.ending}")
        elif isinstance(event, TaskRaised):
            self._suspect(event.task, event.text)
        elif event.task.probed is not None:
            self._again.append(self._suspects[event.task.chunk.index].survived())
        else:
            self._done(event)

    def _suspect(self, task: Task, reason: str) -> None:
        suspect = self._suspects.setdefault(task.chunk.index, SuspectChunk(task.chunk))
        self._again.append(suspect.died(task, reason))

    def _done(self, event: TaskDone) -> None:
        self._suspects.pop(event.task.chunk.index, None)
        self._on_part(event.facts)
