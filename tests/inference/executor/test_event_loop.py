"""Runs that coroutines wait for."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from time import monotonic

import numpy as np
import pytest

from lite_delegate import DelegateExecuteError, RequestCancelled, Tensor
from lite_delegate.inference import CompiledModel, Outcome, RequestStatus
from tests.inference.holding import LONG, STEP, Gate, X, held, open_gate
from tests.inference.requests.test_cancelling import until

BEAT = 0.005


def compiled_at(gate: Gate) -> CompiledModel:
    return held(gate, 2).compiled


def test_an_awaited_run_gives_the_results_of_infer() -> None:
    request = compiled_at(open_gate()).create_infer_request()
    called: list[object] = []
    request.set_callback(called.append)
    results = asyncio.run(request.infer_async([X + 1]))
    np.testing.assert_array_equal(results[0], request.infer([X + 1])[0])
    assert not called


def test_a_failure_is_raised_where_it_is_waited_for() -> None:
    def fail() -> None:
        raise OSError("no device today")

    gate = open_gate()
    gate.on_enter = fail
    request = compiled_at(gate).create_infer_request()
    with pytest.raises(DelegateExecuteError, match="no device today"):
        asyncio.run(request.infer_async([X]))


def test_many_runs_share_the_requests_and_the_loop_goes_on() -> None:
    gate = open_gate()
    compiled = compiled_at(gate)
    beats: list[float] = []

    async def heart() -> None:
        while True:
            beats.append(monotonic())
            await asyncio.sleep(BEAT)

    async def main() -> list[float]:
        beating = asyncio.create_task(heart())
        results = await asyncio.gather(*(compiled.infer_async([X + i]) for i in range(100)))
        beating.cancel()
        return [float(r[0][0, 0]) - STEP - 2 for r in results]

    assert asyncio.run(main()) == list(range(100))
    assert gate.most <= compiled.optimal_requests
    assert beats


def test_a_run_that_takes_too_long_is_cancelled_and_the_request_works_again() -> None:
    gate = Gate()
    request = compiled_at(gate).create_infer_request()

    async def main() -> None:
        async with asyncio.timeout(0.02):
            await request.infer_async([X])

    with pytest.raises(TimeoutError):
        asyncio.run(main())
    assert (request.status, request.outcome) == (RequestStatus.IDLE, Outcome.CANCELLED)
    gate.open()
    asyncio.run(request.infer_async([X]))
    assert request.outcome is Outcome.DONE


def test_a_cancelled_task_ends_its_run_whether_it_runs_or_waits() -> None:
    gate = Gate()
    compiled = compiled_at(gate)

    async def main() -> None:
        tasks = [asyncio.create_task(compiled.infer_async([X])) for _ in range(compiled.optimal_requests + 2)]
        await asyncio.to_thread(gate.wait_for_a_run)
        for task in reversed(tasks):
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(each, asyncio.CancelledError) for each in ended)
        assert gate.inside == 0
        gate.open()
        await asyncio.gather(*(compiled.infer_async([X]) for _ in range(2 * compiled.optimal_requests)))

    asyncio.run(main())


def test_cancelled_from_elsewhere_is_no_cancelled_task() -> None:
    gate = Gate()
    request = compiled_at(gate).create_infer_request()

    async def main() -> None:
        task = asyncio.create_task(request.infer_async([X]))
        await asyncio.to_thread(gate.wait_for_a_run)
        assert await asyncio.to_thread(request.cancel)
        with pytest.raises(RequestCancelled):
            await task

    asyncio.run(main())


def test_two_loops_in_two_threads_share_a_model() -> None:
    compiled = compiled_at(open_gate())
    sums: list[float] = []

    async def main() -> None:
        results = await asyncio.gather(*(compiled.infer_async([X + i]) for i in range(20)))
        sums.append(sum(float(r[0][0, 0]) - STEP - 2 for r in results))

    threads = [threading.Thread(target=lambda: asyncio.run(main())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
    assert sums == [sum(range(20))] * 2


def test_a_loop_that_is_closed_before_the_end_is_no_error(caplog: pytest.LogCaptureFixture) -> None:
    gate = Gate()
    compiled = compiled_at(gate)
    loop = asyncio.new_event_loop()
    tasks = [loop.create_task(compiled.infer_async([X])) for _ in range(2)]
    loop.run_until_complete(asyncio.sleep(BEAT))
    gate.wait_for_a_run()
    loop.close()
    for task in tasks:
        task._log_destroy_pending = False  # type: ignore[attr-defined]
    gone = [weakref.ref(task) for task in tasks]
    del tasks, task
    gate.open()
    until(lambda: gate.inside == 0)

    def are_gone() -> bool:
        gc.collect()
        return not any(each() for each in gone)

    until(are_gone)

    async def again() -> None:
        await asyncio.gather(*(compiled.infer_async([X]) for _ in range(2 * compiled.optimal_requests)))

    asyncio.run(again())
    assert not caplog.records


def test_a_model_predicts_while_the_loop_goes_on() -> None:
    model = held(open_gate())
    (expected,) = model.predict([X])

    async def predicted() -> list[list[Tensor]]:
        return await asyncio.gather(*(model.predict_async({model.get_inputs()[0].name: X + i}) for i in range(4)))

    for i, (output,) in enumerate(asyncio.run(predicted())):
        assert output.name == expected.name
        np.testing.assert_array_equal(output.data, expected.data + i)


def test_a_prediction_is_cancelled_with_its_task() -> None:
    gate = Gate()
    model = held(gate)

    async def cancelled() -> None:
        task = asyncio.create_task(model.predict_async([X]))
        await asyncio.to_thread(gate.wait_for_a_run)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert gate.inside == 0
