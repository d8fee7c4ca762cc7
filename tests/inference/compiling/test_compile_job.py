"""Compilations that go on in a thread of their own: how far they are, and their end."""

from __future__ import annotations

import asyncio
import gc
import threading
from itertools import pairwise

import numpy as np
import pytest

from lite_delegate import Kernel, RequestCancelled, SupportResult
from lite_delegate.delegate.calls.progress import progressed
from lite_delegate.inference import CompiledModel, compile_graph
from lite_delegate.inference.compiling.compile_job import CompileJob
from lite_delegate.inference.compiling.prepared_graph import prepared_graph
from lite_delegate.npu import Device, NPUDelegate
from lite_delegate.runtime.settings import Settings
from tests.inference.holding import LONG, X
from tests.inference.requests.test_cancelling import until
from tests.runtime.graphs import chain


class Asked(NPUDelegate):
    """An NPU that tells of each question, and may hold the first one that is about a certain kernel."""

    def __init__(self, device: Device, held: str = "") -> None:
        super().__init__(device=device)
        self.held = held
        self.seen = threading.Event()
        self.go_on = threading.Event()
        self.asked: list[str] = []

    def supports(self, kernel: Kernel) -> SupportResult:
        self.asked.append(kernel.name)
        if kernel.name == self.held:
            self.seen.set()
            assert self.go_on.wait(LONG)
        return super().supports(kernel)


def job_of(delegate: NPUDelegate, length: int = 8) -> CompileJob[CompiledModel]:
    def work() -> CompiledModel:
        return compile_graph(prepared_graph(chain(length)), Settings(delegates=(delegate,)))

    return CompileJob(work, CompiledModel.close)


def test_the_result_is_the_compiled_model_and_progress_is_one() -> None:
    job = job_of(NPUDelegate())
    compiled = job.result(LONG)
    assert (job.progress, job.is_done) == (1.0, True)
    assert not job.cancel()
    np.testing.assert_array_equal(compiled.create_infer_request().infer([X])[0], X + 36)
    assert job.result() is compiled


def test_progress_grows_while_it_goes_on() -> None:
    told: list[float] = []

    class Telling(Asked):
        def supports(self, kernel: Kernel) -> SupportResult:
            told.append(job.progress)
            return super().supports(kernel)

    ready = threading.Event()

    def work() -> CompiledModel:
        assert ready.wait(LONG)
        return compile_graph(chain(8), Settings(delegates=(Telling(Device()),)))

    job = CompileJob(work, CompiledModel.close)
    ready.set()
    job.result(LONG)
    assert told == sorted(told)
    assert 0 < told[0] < told[-1] < 1


def test_cancelling_ends_it_at_the_next_kernel_and_leaves_nothing_on_the_device() -> None:
    device = Device()
    delegate = Asked(device, held="n2")
    job = job_of(delegate)
    assert delegate.seen.wait(LONG)
    assert not job.is_done
    with pytest.raises(TimeoutError):
        job.result(0.001)
    assert job.cancel()
    delegate.go_on.set()
    with pytest.raises(RequestCancelled, match="compilation"):
        job.result(LONG)
    assert delegate.asked[-1] == "n2"
    assert (device.allocated_memory, device.programs) == (0, 0)
    assert not job.cancel()
    assert job.progress < 1


def test_a_model_that_was_made_during_the_cancellation_is_given_back() -> None:
    discarded: list[str] = []
    made, go_on = threading.Event(), threading.Event()

    def work() -> str:
        made.set()
        assert go_on.wait(LONG)
        return "result"

    job = CompileJob(work, discarded.append)
    assert made.wait(LONG)
    assert job.cancel()
    go_on.set()
    with pytest.raises(RequestCancelled):
        job.result(LONG)
    assert discarded == ["result"]


def test_an_error_of_the_job_is_raised() -> None:
    def work() -> str:
        raise OSError("no disk today")

    job = CompileJob(work, str)
    for _ in range(2):
        with pytest.raises(OSError, match="no disk today"):
            job.result(LONG)


def test_letting_it_go_cancels_it() -> None:
    begun, ended = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        try:
            while True:
                progressed(0, 1)
        finally:
            ended.set()

    job = CompileJob(work, lambda nothing: None)
    assert begun.wait(LONG)
    del job
    gc.collect()
    assert ended.wait(LONG)


def test_it_can_be_awaited_and_a_cancelled_task_cancels_it() -> None:
    async def main() -> CompiledModel:
        return await job_of(NPUDelegate())

    assert isinstance(asyncio.run(main()), CompiledModel)
    delegate = Asked(Device(), held="n1")
    job = job_of(delegate)

    async def cancelled() -> None:
        async def awaiting() -> None:
            await job

        task = asyncio.create_task(awaiting())
        await asyncio.to_thread(delegate.seen.wait, LONG)
        task.cancel()
        until_told = asyncio.get_running_loop().call_later(0.01, delegate.go_on.set)
        with pytest.raises(asyncio.CancelledError):
            await task
        until_told.cancel()

    asyncio.run(cancelled())
    until(lambda: job.is_done)
    with pytest.raises(RequestCancelled):
        job.result()


def test_progress_never_goes_back() -> None:
    fractions: list[float] = []

    ready = threading.Event()

    def work() -> None:
        assert ready.wait(LONG)
        for done in (1, 3, 2, 4):
            progressed(done, 4)
            fractions.append(job.progress)

    job = CompileJob(work, lambda nothing: None)
    ready.set()
    job.result(LONG)
    assert all(a <= b for a, b in pairwise(fractions))
