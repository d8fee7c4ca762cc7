"""The scheduler over an engine that is played here."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from lite_delegate.batch.driver.scheduler import Scheduler
from lite_delegate.batch.engines.engine import (
    BatchEngine,
    Event,
    TaskDone,
    TaskFailed,
    TaskRaised,
    WorkerDied,
    WorkerUnready,
)
from lite_delegate.batch.parts.part import PartFacts
from lite_delegate.batch.sources.chunk import Chunk
from lite_delegate.batch.worker.job_order import JobOrder, Task
from lite_delegate.errors import InputError

CHUNKS = [Chunk(number, 4, "a", 4 * number, None) for number in range(30)]


class Played(BatchEngine):
    """Tasks end in a random order, as ``answer`` says."""

    name = "played"
    facts: dict[str, object] = {}  # noqa: RUF012

    def __init__(self, seed: int = 0) -> None:
        self._rng = random.Random(seed)
        self.tasks: list[Task] = []

    def start(self, order: JobOrder, tasks: int) -> None:
        """Nothing."""

    @property
    def room(self) -> int:
        return 3 - len(self.tasks)

    def submit(self, task: Task) -> None:
        assert task.chunk not in [each.chunk for each in self.tasks]
        self.tasks.append(task)

    def wait(self, seconds: float) -> Sequence[Event]:
        self._rng.shuffle(self.tasks)
        return [self.answer(self.tasks.pop())]

    def close(self) -> None:
        self.tasks.clear()

    def answer(self, task: Task) -> Event:
        """What became of a task."""
        return TaskDone(task, PartFacts("k", task.chunk.index, 4, len(task.excluded), {}, 0.1, "w"))


def run(engine: Played) -> tuple[list[int], Scheduler]:
    done: list[int] = []
    scheduler = Scheduler(engine, lambda facts: done.append(facts.chunk))
    scheduler.run(CHUNKS)
    return done, scheduler


def test_each_chunk_is_done_once() -> None:
    done, scheduler = run(Played())
    assert sorted(done) == list(range(30))
    assert scheduler.deaths == 0


@pytest.mark.parametrize("seed", range(5))
def test_whatever_happens_to_workers_each_chunk_is_done_once(seed: int) -> None:
    rng, died = random.Random(seed), list[Task]()

    class Failing(Played):
        def answer(self, task: Task) -> Event:
            chosen = rng.random()
            if chosen < 0.07:
                died.append(task)
                return WorkerDied(task, "by signal SIGKILL")
            if chosen < 0.1:
                return TaskRaised(task, "ValueError: x")
            return WorkerUnready(task, "not now", is_lasting=False) if chosen < 0.3 else super().answer(task)

    done, scheduler = run(Failing(seed))
    assert sorted(done) == list(range(30))
    assert scheduler.deaths == len(died)


def test_a_task_that_no_worker_can_do_ends_the_job() -> None:
    class Full(Played):
        def answer(self, task: Task) -> Event:
            return TaskFailed(task, "No space left on device")

    with pytest.raises(InputError, match=r"No space left on device \(with rows"):
        run(Full())


@pytest.mark.parametrize(("is_lasting", "most"), [(True, 1), (False, 5)])
def test_workers_that_cannot_be_made_end_the_job(is_lasting: bool, most: int) -> None:
    asked: list[Task] = []

    class Unready(Played):
        def answer(self, task: Task) -> Event:
            asked.append(task)
            return WorkerUnready(task, "no device", is_lasting=is_lasting)

    with pytest.raises(InputError, match="No worker can be made: no device"):
        run(Unready())
    assert len(asked) == most
