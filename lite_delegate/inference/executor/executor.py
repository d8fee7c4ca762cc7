"""Executor: the threads that compute the asynchronous runs of a compiled model."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Lock, Thread, current_thread
from time import monotonic
from typing import Protocol
from weakref import WeakSet, finalize

from ...basics.forking import free_in_children
from ...runtime.execution.threads import divided_threads

EXIT_SECONDS = 10.0
"""How long the end of a process waits for runs that were cancelled and go on: graph kernels that never look."""

LINGER_SECONDS = 0.002
"""How long the math library's threads stay divided after a run: dividing them takes longer than many a run."""


class WorkerTask(Protocol):
    """What a worker does."""

    def __call__(self) -> None:
        """Does it. Nothing is raised."""

    def cancel(self) -> bool:
        """Asks it to end."""


class Executor:
    """Workers of a compiled model, started when they are needed; what they have to do waits in one line.

    They end when the executor is gone. At the end of the process, after its other threads have ended, what they do is
    cancelled and waited for.

    Args:
        workers: the number of threads at most.
        threads: that CPU kernels may use in all; 0: one for each core. Each worker gets its share.
        each: that those of one worker may use; 0: that share.
        overlaps: whether a simulated device may begin with a run before it has ended those that were started before.
    """

    def __init__(self, workers: int, threads: int = 0, each: int = 0, *, overlaps: bool = True) -> None:
        self.workers = workers
        self.overlaps = overlaps
        share = max((threads or os.cpu_count() or 1) // workers, 1)
        self._crew = _Crew(workers, each or (share if workers > 1 else threads))
        finalize(self, self._crew.end).atexit = False

    def submit(self, work: WorkerTask) -> None:
        """Lets a worker do something, after all that was submitted before."""
        self._crew.submit(work)

    @property
    def is_worker(self) -> bool:
        """Whether the caller is one of the workers."""
        return current_thread() in self._crew.running

    def aside(self, call: Callable[[], None]) -> None:
        """Lets a thread of its own call a function, so that it waits for no worker."""
        self._crew.start(_call_aside, call)


class _Crew:
    """The threads of an executor, and what they share; apart from it, so that they do not keep it."""

    def __init__(self, limit: int, threads: int) -> None:
        self.limit = limit
        self.threads = threads
        self.lock = Lock()
        self._renew()
        free_in_children(self)
        _CREWS.add(self)

    def _renew(self) -> None:
        self.line: SimpleQueue[WorkerTask | None] = SimpleQueue()
        self.idle: list[Lock] = []  # one for each worker that waits; lists take and give one in one step
        self.hired = 0
        self.running: set[Thread] = set()
        self.doing: set[WorkerTask] = set()

    def after_fork(self) -> None:
        """See ``forking``: no thread of the parent is here, and its runs are not this process's."""
        self.lock = Lock()
        self._renew()

    def submit(self, work: WorkerTask) -> None:
        self.doing.add(work)
        self.line.put(work)
        if self._ring():
            return
        with self.lock:
            if self.hired == self.limit:
                return
            self.hired += 1
        self.start(_serve)

    def start(self, target: Callable[..., None], *arguments: object) -> None:
        """Starts a thread that is given this and what else it needs.

        The end of the process does not wait for it as for others, but cancels what it does first: see ``_end_all``.
        """
        thread = Thread(target=target, args=(self, *arguments), name="lite_delegate worker", daemon=True)
        self.running.add(thread)
        thread.start()

    def end(self) -> None:
        """Lets the threads end when nothing is left to do. It takes no lock: the garbage collector may call it."""
        self.line.put(None)
        while self._ring():
            pass

    def _ring(self) -> bool:
        """Wakes a worker that waits; False where none does."""
        try:
            self.idle.pop().release()
        except IndexError:
            return False
        return True


_CREWS: WeakSet[_Crew] = WeakSet()


def _serve(crew: _Crew) -> None:
    """A worker. While there is something to do, and a moment longer, the math library's threads stay divided."""
    work = crew.line.get()
    while work is not None:
        with divided_threads(crew.threads):
            while work is not None:
                _do(crew, work)
                work = _soon(crew)
        work = crew.line.get()
    crew.line.put(None)  # for the next worker
    crew.running.discard(current_thread())


def _soon(crew: _Crew) -> WorkerTask | None:
    """What is to be done now or in a moment; None where there is nothing, or the end.

    The line itself is not asked to wait for a time: where another worker is faster, CPython 3.11 waits for ever.
    """
    try:
        return _now(crew)
    except Empty:
        bell = Lock()
        bell.acquire()
        crew.idle.append(bell)
        bell.acquire(timeout=LINGER_SECONDS)
    try:
        return _now(crew)
    except Empty:
        return None


def _now(crew: _Crew) -> WorkerTask | None:
    work = crew.line.get_nowait()
    if work is None:
        crew.line.put(None)
    return work


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
    """Cancels what is under way when the process ends, and waits for it; its other threads have ended before."""
    crews, end = list(_CREWS), monotonic() + EXIT_SECONDS
    for crew in crews:
        for work in list(crew.doing):
            work.cancel()
        crew.end()
    for thread in [thread for crew in crews for thread in list(crew.running)]:
        thread.join(max(end - monotonic(), 0))
