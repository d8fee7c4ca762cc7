"""BatchEngine: runs tasks on workers and says what became of each task; all else is the scheduler's."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...basics.data_class import dataclass

if TYPE_CHECKING:
    from ..parts.part import PartFacts
    from ..worker.job_order import JobOrder, Task


@dataclass(frozen=True, slots=True)
class TaskDone:
    """A task was done."""

    task: Task
    facts: PartFacts


@dataclass(frozen=True, slots=True)
class WorkerDied:
    """The worker ended while it had the task.

    Attributes:
        task: which may or may not be the cause.
        ending: of the worker, in words: "by signal SIGSEGV".
    """

    task: Task
    ending: str


@dataclass(frozen=True, slots=True)
class TaskRaised:
    """The worker met an error that nobody foresaw, and goes on.

    Attributes:
        task: one of its rows may be the cause.
        text: the error in words.
    """

    task: Task
    text: str


@dataclass(frozen=True, slots=True)
class TaskFailed:
    """The task cannot be done by any worker: the source or the output folder is at fault.

    Attributes:
        task: the task.
        text: the error in words.
    """

    task: Task
    text: str


@dataclass(frozen=True, slots=True)
class WorkerUnready:
    """A worker could not open the model for its first task.

    Attributes:
        task: which was not begun.
        text: the error in words.
        is_lasting: whether another worker would fail alike.
    """

    task: Task
    text: str
    is_lasting: bool


Event = TaskDone | WorkerDied | TaskRaised | TaskFailed | WorkerUnready


class BatchEngine(ABC):
    """Runs tasks on workers. An engine runs one job at a time."""

    name: str
    """The engine's name on the command line."""

    @property
    def sharing(self) -> int:
        """The number of workers that share the memory of this machine, at most; 1 where each has a machine."""
        return 1

    def expect(self) -> None:
        """A job is being prepared: a worker may start up meanwhile. By default nothing happens."""
        return None

    @abstractmethod
    def start(self, order: JobOrder, tasks: int) -> None:
        """Makes workers for a job.

        Args:
            order: of the job.
            tasks: the number of tasks, at most, that there will be at the same time.

        Raises:
            InputError: there can be no workers; the message says why.
        """

    @property
    @abstractmethod
    def room(self) -> int:
        """The number of tasks that may be submitted now."""

    @abstractmethod
    def submit(self, task: Task) -> None:
        """Gives a task to a worker."""

    @abstractmethod
    def wait(self, seconds: float) -> Sequence[Event]:
        """What happened since the last call; waits for the first event, at most so long."""

    @abstractmethod
    def close(self) -> None:
        """Ends the workers at once; their tasks are lost."""

    @property
    @abstractmethod
    def facts(self) -> dict[str, object]:
        """Plain data about the workers, for the manifest."""
