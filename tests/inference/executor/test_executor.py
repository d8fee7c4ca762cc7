"""Executor: its workers end with it, also those that wait a moment for more to do."""

from __future__ import annotations

from _thread import LockType
from threading import Event
from time import monotonic, sleep

import pytest

from lite_delegate.inference.executor import executor as module
from lite_delegate.inference.executor.executor import Executor
from lite_delegate.runtime.execution import threads

LONG = 60.0


class Signal:
    """Work that says when it is done."""

    def __init__(self) -> None:
        self.done = Event()

    def __call__(self) -> None:
        self.done.set()

    def cancel(self) -> bool:
        """Nothing to end."""
        return False


def test_workers_that_wait_for_more_end_with_the_executor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LINGER_SECONDS", LONG)
    executor, work = Executor(2, 2), Signal()
    executor.submit(work)
    assert work.done.wait(LONG)
    (worker,) = executor._crew.running
    del executor
    worker.join(LONG / 2)
    assert not worker.is_alive()


def test_an_idle_worker_takes_the_next_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LINGER_SECONDS", 0.0001)
    executor = Executor(2, 2)
    for pause in (0, 0.01, 0, 0.01):  # the worker lingers, or waits without limit
        work = Signal()
        executor.submit(work)
        assert work.done.wait(LONG)
        end = monotonic() + LONG / 2
        while not executor._crew.idle:
            assert monotonic() < end
        sleep(pause)
    assert len(executor._crew.running) == 1


def test_a_task_that_comes_just_before_a_worker_rests_is_taken() -> None:
    executor, late = Executor(1), Signal()

    class Bells(list[LockType]):
        """Bells of workers, the first of which comes too late."""

        def append(self, bell: LockType) -> None:
            if late not in executor._crew.doing and not late.done.is_set():
                executor.submit(late)
            super().append(bell)

    executor._crew.idle = Bells()
    executor.submit(Signal())
    assert late.done.wait(LONG)


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("linger", [0.0, 0.00005, LONG])
def test_no_task_is_left_behind_however_workers_go_to_rest(
    monkeypatch: pytest.MonkeyPatch, workers: int, linger: float
) -> None:
    monkeypatch.setattr(module, "LINGER_SECONDS", linger)
    executor = Executor(workers, workers + 1)
    for round_ in range(300):
        tasks = [Signal() for _ in range(1 + round_ % 4)]
        for task in tasks:
            executor.submit(task)
        assert all(task.done.wait(LONG) for task in tasks)


def test_workers_leave_the_math_library_to_others_once_nothing_is_to_be_done() -> None:
    executor = Executor(2, 2)
    for _ in range(20):
        work = Signal()
        executor.submit(work)
        assert work.done.wait(LONG)
    end = monotonic() + LONG / 2
    while threads._LIMITS._users:
        assert monotonic() < end
        sleep(module.LINGER_SECONDS)
