"""LocalEngine: workers are processes of this machine."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING

from ...basics.clean_process import CleanProcess
from ...basics.failures import said
from ...basics.processors import usable_processors
from ...errors import InputError, LiteDelegateError
from .engine import BatchEngine, Event, TaskDone, TaskFailed, TaskRaised, WorkerDied, WorkerUnready

if TYPE_CHECKING:
    from ..parts.part import PartFacts
    from ..worker.chunk_runner import ChunkRunner
    from ..worker.job_order import JobOrder, Task

READY = "ready"
NEEDED = ("lite_delegate.batch.worker.chunk_runner", "lite_delegate.devices.core", "pyarrow.parquet")
"""The modules that every worker needs, which it imports while the driver compiles the model."""
ANSWERS = {"done": TaskDone, "raised": TaskRaised, "failed": TaskFailed}


class LocalEngine(BatchEngine):
    """Workers are processes of this machine, which end with this process, however it ends.

    Args:
        workers: their number; None: one for each processor that this process may use.
        task_seconds: the time that a worker has for a task, before it is ended; None: no limit.
    """

    name = "local"

    def __init__(self, workers: int | None = None, task_seconds: float | None = None) -> None:
        self._wanted = workers or usable_processors()
        self._task_seconds = task_seconds
        self._order: JobOrder | None = None
        self._workers: list[_LocalWorker] = []
        self._early: CleanProcess | None = None
        self._count = 0

    @property
    def sharing(self) -> int:
        """The number of processes, at most."""
        return self._wanted

    def expect(self) -> None:
        """Starts the first process, which imports what it needs."""
        with suppress(OSError):  # the first task says so
            self._early = CleanProcess(serve)

    def start(self, order: JobOrder, tasks: int) -> None:
        """Remembers the job; processes are started when there are tasks for them."""
        self._order = order
        self._count = max(1, min(self._wanted, tasks))

    @property
    def room(self) -> int:
        """The number of processes without a task."""
        return self._count - sum(worker.task is not None for worker in self._workers)

    def submit(self, task: Task) -> None:
        """Gives a task to an idle process, or to a new one."""
        worker = next((each for each in self._workers if each.task is None), None)
        if worker is None:
            assert self._order is not None
            try:
                worker = _LocalWorker(self._order, self._early or CleanProcess(serve))
                self._early = None
            except OSError as e:
                raise InputError(f"No worker can be started: {said(e)}") from e
            self._workers.append(worker)
        worker.give(task)

    def wait(self, seconds: float) -> Sequence[Event]:
        """The answers of the processes, and the ends of processes."""
        busy = [worker for worker in self._workers if worker.task is not None]
        if self._task_seconds is not None:
            left = [self._task_seconds - worker.seconds for worker in busy if worker.is_ready]
            seconds = max(0.0, min([seconds, *left]))
        readable = wait([worker.connection for worker in busy], seconds)
        heard = [self._heard(worker) for worker in busy if worker.connection in readable]
        return [event for event in heard if event is not None] + self._overdue()

    def _heard(self, worker: _LocalWorker) -> Event | None:
        try:
            answer = worker.connection.recv()
        except (EOFError, OSError):
            self._workers.remove(worker)
            return worker.ended()
        if answer == READY:
            worker.begin()
            return None
        task, worker.task = worker.task, None
        assert task is not None
        kind, content = answer
        if kind == "unready":
            self._workers.remove(worker)
            worker.end()
            return WorkerUnready(task, content, is_lasting=True)
        event: Event = ANSWERS[kind](task, content)
        return event

    def _overdue(self) -> list[Event]:
        limit = self._task_seconds
        late = [w for w in self._workers if limit and w.is_ready and w.task is not None and w.seconds >= limit]
        for worker in late:
            self._workers.remove(worker)
            worker.kill()
        return [
            WorkerDied(worker.task, f"after {limit:g} s without an answer")
            for worker in late
            if worker.task is not None
        ]

    def close(self) -> None:
        """Ends all processes. Idle ones close what they have open."""
        if self._early is not None:
            self._early.kill()
            self._early = None
        for worker in self._workers:
            worker.connection.close()
        while self._workers:
            worker = self._workers.pop()
            if worker.task is None:
                worker.end()
            else:
                worker.kill()

    @property
    def facts(self) -> dict[str, object]:
        """The number of workers, and of the machine's processors."""
        return {"engine": self.name, "workers": self._count, "processors": usable_processors()}


class _LocalWorker:
    """A process with the task that it has."""

    def __init__(self, order: JobOrder, process: CleanProcess) -> None:
        self._process = process
        self.connection: Connection = process.connection
        with suppress(OSError):  # the process has ended, which shows at the first answer
            self.connection.send(order)
        self.task: Task | None = None
        self.is_ready = False
        self._since = time.monotonic()

    def begin(self) -> None:
        """The process has opened the model, and begins with its task."""
        self.is_ready, self._since = True, time.monotonic()

    @property
    def seconds(self) -> float:
        """The time since the task was begun."""
        return time.monotonic() - self._since

    def give(self, task: Task) -> None:
        """Sends a task. A process that has ended shows when its answer is awaited."""
        self.task, self._since = task, time.monotonic()
        with suppress(OSError):
            self.connection.send(task)

    def ended(self) -> Event:
        """What the end of the process means for its task."""
        self._process.end()
        assert self.task is not None
        if self.is_ready:
            return WorkerDied(self.task, self._process.ending)
        return WorkerUnready(
            self.task, f"a worker ended {self._process.ending} while it opened the model", is_lasting=False
        )

    def end(self) -> None:
        """Lets the process end."""
        self._process.end()

    def kill(self) -> None:
        """Ends the process at once."""
        self._process.kill()


def serve(connection: Connection) -> None:
    """Runs in the process: opens the model of the first message, a ``JobOrder``, then answers each task.

    What the process prints goes to standard error: standard output is the driver's. An interrupt of the keyboard is the
    driver's, too, which ends the process.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(2, 1)
    for name in NEEDED:
        import_module(name)
    with suppress(OSError):  # the driver has ended
        _serve(connection)


def _serve(connection: Connection) -> None:
    from ..worker.chunk_runner import ChunkRunner

    try:
        runner = ChunkRunner(connection.recv())
    except Exception as e:  # a delegate's code raises what it likes
        connection.send(("unready", said(e)))
        return
    connection.send(READY)
    while True:
        try:
            task = connection.recv()
        except EOFError:  # the driver is done
            return
        connection.send(_answer(runner, task))


def _answer(runner: ChunkRunner, task: Task) -> tuple[str, PartFacts | str]:
    try:
        return "done", runner.run(task)
    except (LiteDelegateError, OSError) as e:
        return "failed", str(e)
    except Exception as e:  # a function of the user raises what it likes
        return "raised", said(e)
