"""Runs cases in worker processes, each with a time limit, and goes on when a worker hangs or dies."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from multiprocessing.connection import wait
from types import TracebackType
from typing import Self

from ...basics.counted import counted
from ...basics.processors import usable_processors
from ...basics.words.one_line import OneLine, quoted
from ...devices.registry.delegate_spec import NO_OPTIONS
from ...errors import DelegateError, InputError
from ..reports.results import CaseOutcome, CaseResult, FailureKind
from .process import DEFAULT_TIMEOUT, WorkerProcess
from .serving import ConformanceTask, Done, Ready, Subject, Unusable

MAX_CHUNK = 32
"""Cases that are handed to a worker at once: few, so that no worker is left with a long tail."""
CHUNKS_PER_WORKER = 4


class WorkerPool(OneLine):
    """Worker processes that each have a delegate of their own, made from a SPEC.

    Workers are started when there is work, with the ``spawn`` method: a script that uses the pool needs the usual
    ``if __name__ == "__main__":`` around its own work.

    Args:
        spec: names the delegate, see ``resolve_delegate``.
        options: of the delegate.
        jobs: how many processes at most; None: one per CPU this process may use.
        timeout: seconds that a delegate has for a case, and again for the same case claimed by force.
    """

    def __init__(
        self,
        spec: str,
        *,
        options: Mapping[str, str] = NO_OPTIONS,
        jobs: int | None = None,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> None:
        self.delegate = ""
        """The delegate's name, known once a case has run."""
        self.spec = spec
        self.options = dict(options)
        self._jobs = usable_processors() if jobs is None else jobs
        self._timeout = timeout
        self._workers: list[WorkerProcess] = []
        self._unforced: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the worker processes."""
        for worker in self._workers:
            worker.end()
        self._workers.clear()

    def _kill(self) -> None:
        for worker in self._workers:
            worker.kill()
        self._workers.clear()

    def run(
        self,
        cases: Sequence[Subject],
        *,
        force: bool = True,
        closely: bool = False,
        heard: Callable[[CaseResult], None] | None = None,
    ) -> list[CaseResult]:
        """The results of cases and patterns, in their order.

        Args:
            cases: the cases and patterns.
            force: run what is rejected once more, claimed by force.
            closely: see ``run_case``.
            heard: is called with each result as it comes.

        Raises:
            InputError: the SPEC names no delegate.
            DelegateError: the process ends, or hangs, while it makes the delegate.
        """
        unforced = "" if force else "not forced: not asked for"
        waiting = deque(ConformanceTask(i, case, unforced, closely) for i, case in enumerate(cases))
        chunk = max(1, min(MAX_CHUNK, -(-len(cases) // (self._jobs * CHUNKS_PER_WORKER))))
        results = _Results(heard)
        try:
            while len(results) < len(cases):
                self._hand_out(waiting, chunk)
                for worker in self._with_news():
                    self._hear(worker, results)
                    self._check(worker, results, waiting)
        except BaseException:
            self._kill()
            raise
        return [results[i] for i in range(len(cases))]

    def _hand_out(self, waiting: deque[ConformanceTask], chunk: int) -> None:
        self._workers = [w for w in self._workers if w.tasks or w.is_alive]
        for number in range(self._jobs):
            if not waiting:
                return
            if number == len(self._workers):
                self._workers.append(WorkerProcess(self.spec, self.options, self._timeout))
            if self._workers[number].is_idle:
                tasks = [waiting.popleft() for _ in range(min(chunk, len(waiting)))]
                self._workers[number].give([self._allowed(task) for task in tasks])

    def _allowed(self, task: ConformanceTask) -> ConformanceTask:
        reason = task.unforced or self._unforced.get(task.case.op_type, "")
        return replace(task, unforced=reason)

    def _with_news(self) -> list[WorkerProcess]:
        """The busy workers that have said something, have ended, or are past their time."""
        busy = [w for w in self._workers if not w.is_idle]
        news = set(wait([x for w in busy for x in w.waitables], min(w.seconds_left for w in busy)))
        return [w for w in busy if news.intersection(w.waitables) or w.seconds_left <= 0]

    def _hear(self, worker: WorkerProcess, results: _Results) -> None:
        for message in worker.messages():
            if isinstance(message, Unusable):
                raise InputError(message.message)
            if isinstance(message, Ready):
                self.delegate = message.delegate
            if isinstance(message, Done):
                results[message.position] = message.result

    def _check(self, worker: WorkerProcess, results: _Results, waiting: deque[ConformanceTask]) -> None:
        """Blames a worker that is dead or late on the case it was at, and puts the rest of its chunk back."""
        if worker.failure() is None:
            return
        self._hear(worker, results)  # what it said since
        failed = worker.failure()
        if failed is None:
            return
        self._workers.remove(worker)
        worker.kill()
        if not worker.is_ready:
            raise DelegateError(f"--delegate {self.spec}: the process {failed[1]} while it made the delegate.")
        if worker.tasks:
            task, *rest = worker.tasks
            results[task.position] = self._blame(worker, task, *failed)
            waiting.extendleft(reversed(rest))

    def _blame(self, worker: WorkerProcess, task: ConformanceTask, failure: FailureKind, how: str) -> CaseResult:
        case = task.case
        if worker.rejected is None:
            return CaseResult.failed(case.op_type, case.name, failure, f"the process {how}")
        self._unforced[case.op_type] = f"not forced: when case '{case.name}' was, the process {how}"
        return worker.rejected.with_forced(CaseOutcome.FAILED, f"the process {how}")

    def _line(self) -> str:
        return f"{quoted(self.spec)}, {counted(self._jobs, 'job')}"


class _Results(dict[int, CaseResult]):
    """Results by position, each of which somebody hears of as it comes."""

    def __init__(self, heard: Callable[[CaseResult], None] | None) -> None:
        super().__init__()
        self._heard = heard

    def __setitem__(self, position: int, result: CaseResult) -> None:
        super().__setitem__(position, result)
        if self._heard is not None:
            self._heard(result)
