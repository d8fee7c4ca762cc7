"""Executor: the threads that compute the asynchronous runs of a compiled model."""

from __future__ import annotations

import atexit
import os
from collections import deque
from collections.abc import Callable
from threading import Lock, Thread, current_thread
from time import monotonic
from typing import Protocol
from weakref import WeakSet, finalize

from ...basics.forking import free_in_children
from ...runtime.execution.threads import divided_threads

EXIT_SECONDS = 10.0
"""Seconds that the end of a process waits for cancelled runs whose graph kernels never check for cancellation."""

LINGER_SECONDS = 0.002
"""Seconds that the math library's threads stay divided after a run: a division takes longer than a short run."""

FOREVER = -1.0
"""Seconds, as a lock takes them, of a wait without limit."""


class WorkerTask(Protocol):
    """A task of a worker."""

    def __call__(self) -> None:
        """Performs the task and raises nothing."""

    def cancel(self) -> bool:
        """Asks the task to end."""


class Executor:
    """Workers of a compiled model, started on demand; their tasks wait in one queue.

    The workers end when the executor is gone. At the end of the process, after its other threads have ended, their
    tasks are cancelled and awaited.

    Args:
        workers: the number of threads at most.
        threads: for the CPU kernels of all workers, in equal shares; 0: one thread for each core.
        each: threads for the CPU kernels of one worker; 0: its share of ``threads``.
        overlaps: whether a simulated device may begin a run before the end of earlier runs.
    """

    def __init__(self, workers: int, threads: int = 0, each: int = 0, *, overlaps: bool = True) -> None:
        self.workers = workers
        self.overlaps = overlaps
        share = max((threads or os.cpu_count() or 1) // workers, 1)
        self._crew = _Crew(workers, each or (share if workers > 1 else threads))
        finalize(self, self._crew.end).atexit = False

    def submit(self, work: WorkerTask) -> None:
        """Hands a task to the workers, behind all tasks that were submitted before."""
        self._crew.submit(work)

    @property
    def is_worker(self) -> bool:
        """Whether the current thread is a worker."""
        return current_thread() in self._crew.running

    def aside(self, call: Callable[[], None]) -> None:
        """Calls a function in a separate thread, so that the call waits for no worker."""
        self._crew.start(_call_aside, call)


class _Crew:
    """The threads of an executor with their shared state; the threads hold no reference to the executor."""

    def __init__(self, limit: int, threads: int) -> None:
        self.limit = limit
        self.threads = threads
        self.lock = Lock()
        self._renew()
        free_in_children(self)
        _CREWS.add(self)

    def _renew(self) -> None:
        self.line: deque[WorkerTask | None] = deque()
        self.idle: list[Lock] = []  # the bell of each idle worker; append and pop of a list are atomic
        self.hired = 0
        self.running: set[Thread] = set()
        self.doing: set[WorkerTask] = set()

    def after_fork(self) -> None:
        """See ``forking``: threads and runs of the parent process do not exist in the child process."""
        self.lock = Lock()
        self._renew()

    def submit(self, work: WorkerTask) -> None:
        self.doing.add(work)
        self.line.append(work)
        if not self._ring():
            self._hire()

    def _hire(self) -> None:
        """Starts a worker, if there may be one more."""
        with self.lock:
            if self.hired == self.limit:
                return
            self.hired += 1
        self.start(_serve)

    def start(self, target: Callable[..., None], *arguments: object) -> None:
        """Starts a thread whose target gets the crew and the arguments.

        The thread is a daemon: ``_end_all`` cancels its task before the end of the process waits for the thread.
        """
        thread = Thread(target=target, args=(self, *arguments), name="lite_delegate worker", daemon=True)
        self.running.add(thread)
        thread.start()

    def end(self) -> None:
        """Lets the threads end after the last task, without a lock: the garbage collector may call this method."""
        self.line.append(None)
        while self._ring():
            pass

    def _ring(self) -> bool:
        """Wakes an idle worker; False where no worker is idle."""
        try:
            self.idle.pop().release()
        except IndexError:
            return False
        return True


_CREWS: WeakSet[_Crew] = WeakSet()


def _serve(crew: _Crew) -> None:
    """The loop of a worker. The math library's threads stay divided during its tasks, and a moment longer."""
    bell = Lock()
    bell.acquire()
    work = _next(crew, bell, FOREVER)
    while work is not None:
        with divided_threads(crew.threads):
            while work is not None:
                _do(crew, work)
                work = _next(crew, bell, LINGER_SECONDS if crew.threads else FOREVER)
        work = _next(crew, bell, FOREVER)
    crew.running.discard(current_thread())


def _next(crew: _Crew, bell: Lock, seconds: float) -> WorkerTask | None:
    """The next task; None at the end of the executor, or where no task came in time.

    A queue of the standard library would be as fast, but its timeout is not usable: CPython 3.11 waits forever where
    another worker takes the task first.

    Args:
        crew: of the worker.
        bell: a lock of the worker, which holds it; whoever adds a task releases it.
        seconds: the time for a task to come.
    """
    line, idle, is_late = crew.line, crew.idle, False
    while line or not is_late:
        if not line:
            idle.append(bell)
            if line or not bell.acquire(True, seconds):  # a task came before the bell was there, or none came
                is_late = not line
                _take_back(idle, bell)
        try:
            work = line.popleft()
        except IndexError:  # another worker was faster
            continue
        if work is None:
            line.append(None)  # for the next worker
        return work
    return None


def _take_back(idle: list[Lock], bell: Lock) -> None:
    """Takes a bell that did not ring from the bells of idle workers; one that is taken already rings soon."""
    try:
        idle.remove(bell)
    except ValueError:
        bell.acquire()


def _do(crew: _Crew, work: WorkerTask) -> None:
    try:
        work()
    finally:
        crew.doing.discard(work)


def _call_aside(crew: _Crew, call: Callable[[], None]) -> None:
    call()
    crew.running.discard(current_thread())


@atexit.register
def _end_all() -> None:
    """Cancels all tasks at the end of the process, and waits for them; other threads have ended before."""
    crews, end = list(_CREWS), monotonic() + EXIT_SECONDS
    for crew in crews:
        for work in list(crew.doing):
            work.cancel()
        crew.end()
    for thread in [thread for crew in crews for thread in list(crew.running)]:
        thread.join(max(end - monotonic(), 0))
