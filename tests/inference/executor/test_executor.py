"""Executor: its workers end with it, also those that wait a moment for more to do."""

from __future__ import annotations

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
