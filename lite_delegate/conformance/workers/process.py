"""One worker process as its parent sees it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection

from ...basics.helper_process import STARTUP_SECONDS, HelperProcess
from ..reports.results import CaseResult, FailureKind
from .serving import ConformanceTask, Done, Forcing, Message, Ready, serve

DEFAULT_TIMEOUT = 10.0
"""Seconds that a delegate has for a case."""


class WorkerProcess:
    """A worker and the tasks it has been given.

    Attributes:
        tasks: the tasks that are not done, the first of them running.
        rejected: the result so far of the task that is running by force; None when none is.
        is_ready: it has made its delegate.
    """

    def __init__(self, spec: str, options: Mapping[str, str], timeout: float) -> None:
        self.tasks: deque[ConformanceTask] = deque()
        self.rejected: CaseResult | None = None
        self.is_ready = False
        self._timeout = timeout
        self._deadline = time.monotonic() + STARTUP_SECONDS
        self._process = HelperProcess(serve, spec, dict(options))

    @property
    def is_idle(self) -> bool:
        """Whether the worker has no task."""
        return not self.tasks

    @property
    def waitables(self) -> tuple[Connection, int]:
        """Objects that become readable when the worker says something or ends."""
        return self._process.waitables

    @property
    def seconds_left(self) -> float:
        """Until the time limit of what it is doing."""
        return self._deadline - time.monotonic()

    @property
    def is_alive(self) -> bool:
        """The process runs."""
        return self._process.is_alive

    def give(self, tasks: Sequence[ConformanceTask]) -> None:
        """Hands it tasks; it must be idle. They are sent once it is ready to read them."""
        self.tasks.extend(tasks)
        if self.is_ready:
            self._send()

    def _send(self) -> None:
        self._restart_clock()
        with suppress(OSError):  # it has ended, which the parent notices next
            self._process.connection.send(list(self.tasks))

    def messages(self) -> Iterator[Message]:
        """Its messages since the last time, after noting what they mean for it."""
        try:
            while self._process.connection.poll():
                message: Message = self._process.connection.recv()
                self._note(message)
                yield message
        except (EOFError, OSError):
            return  # it has ended, maybe in the middle of a message

    def failure(self) -> tuple[FailureKind, str] | None:
        """The way in which it failed and what the process did; None while it is well."""
        if not self.is_alive:
            return FailureKind.CRASHED, f"ended {self._process.ending}"
        if self.tasks and self.seconds_left <= 0:
            limit = self._timeout if self.is_ready else STARTUP_SECONDS
            return FailureKind.TIMED_OUT, f"gave no answer within {limit:g} s"
        return None

    def kill(self) -> None:
        """Ends the process at once."""
        self._process.kill()

    def end(self) -> None:
        """Lets the process end, and its delegate give back what it holds; ends it when it does not."""
        self._process.end()

    def _note(self, message: Message) -> None:
        match message:
            case Ready():
                self.is_ready = True
                self._send()
            case Forcing():
                self.rejected = message.result
            case Done():
                self.tasks.popleft()
                self.rejected = None
        self._restart_clock()

    def _restart_clock(self) -> None:
        self._deadline = time.monotonic() + self._timeout
