"""Queues of requests: who is started when, what comes back, and what becomes of errors."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import Array

from lite_delegate import (
    CallbackError,
    DelegateExecuteError,
    InputError,
    RequestBusy,
    RequestCancelled,
    RequestError,
    RequestErrors,
)
from lite_delegate.inference import InferRequest, Outcome, RequestQueue
from tests.inference.holding import LONG, STEP, Gate, X, held, open_gate


def queue_at(gate: Gate, jobs: int = 3) -> RequestQueue:
    return RequestQueue(held(gate, 2).compiled, jobs)


def sums(results: Any) -> float:
    return float(results[0][0, 0]) - STEP - 2


def test_the_size_is_the_optimal_number_or_what_is_asked_for() -> None:
    compiled = held(open_gate()).compiled
    assert len(RequestQueue(compiled)) == len(RequestQueue(compiled, 0)) == compiled.optimal_requests
    queue = RequestQueue(compiled, 4)
    assert len(queue) == len(list(queue)) == 4
    assert all(isinstance(request, InferRequest) for request in queue)
    assert queue[-1] is list(queue)[3]
    with pytest.raises(IndexError):
        _ = queue[9]
    with pytest.raises(InputError, match="-1"):
        RequestQueue(compiled, -1)
    with pytest.raises(TypeError):
        RequestQueue(compiled, "2")  # type: ignore[arg-type]


def test_every_start_is_called_back_with_its_request_and_data() -> None:
    seen: dict[int, float] = {}

    def callback(request: InferRequest, userdata: int) -> None:
        seen[userdata] = sums(request.results)

    with queue_at(open_gate()) as queue:
        queue.set_callback(callback)
        for i in range(20):
            queue.start_async([X + i], i)
    assert seen == {i: i for i in range(20)}


def test_a_start_waits_for_an_idle_request() -> None:
    gate = Gate()
    queue = queue_at(gate, 2)
    assert queue.is_ready()
    assert queue.get_idle_request_id() == 0
    queue.start_async([X])
    assert queue.get_idle_request_id() == 1
    queue.start_async([X])
    assert not queue.is_ready()
    with pytest.raises(RequestBusy, match="All 2 requests"):
        queue.start_async([X], timeout=0.01)
    threading.Timer(0.01, gate.open).start()
    queue.start_async([X], timeout=LONG)
    queue.wait_all()
    assert queue.is_ready()


def test_a_start_that_fails_takes_no_request() -> None:
    queue = queue_at(open_gate(), 1)
    for _ in range(3):
        with pytest.raises(InputError):
            queue.start_async([np.zeros((9, 9), np.float32)])
    queue.start_async([X])
    queue.wait_all()


def failing_at(wrong: float) -> tuple[RequestQueue, list[Any]]:
    """A queue whose graph kernel fails for one number."""
    gate, numbers = open_gate(), threading.local()
    queue = queue_at(gate)
    kernel = next(iter(queue[0]._runner.plan.graph_kernels))
    execute = type(kernel).execute

    def checking(self: Any) -> None:
        numbers.x = float(self.inputs[0].data[0, 0])
        if numbers.x == wrong:
            raise OSError("no device today")
        execute(self)

    patched = pytest.MonkeyPatch()
    patched.setattr(type(kernel), "execute", checking)
    return queue, [patched]


@pytest.fixture
def failing_at_4() -> Iterator[RequestQueue]:
    queue, (patched,) = failing_at(4)
    yield queue
    patched.undo()


def test_an_input_that_fails_is_named_and_the_others_have_results(failing_at_4: RequestQueue) -> None:
    queue, seen, failed = failing_at_4, [], []
    queue.set_callback(
        lambda request, userdata: seen.append(userdata),
        on_error=lambda request, userdata, error: failed.append((userdata, error)),
    )
    for i in range(10):
        queue.start_async([X + i], f"data {i}")
    with pytest.raises(RequestErrors) as caught:
        queue.wait_all()
    (error,) = caught.value.exceptions
    assert isinstance(caught.value, RequestError)
    assert isinstance(caught.value, ExceptionGroup)
    assert isinstance(error, DelegateExecuteError)
    assert any("job 4" in note and "'data 4'" in note for note in error.__notes__)
    assert failed == [("data 4", error)]
    assert sorted(seen) == [f"data {i}" for i in range(10) if i != 4]
    queue.wait_all()


def test_callbacks_that_raise_end_nothing_and_are_told_with_their_jobs() -> None:
    queue = queue_at(open_gate())

    def callback(request: InferRequest, userdata: int) -> None:
        if userdata % 2:
            raise KeyError(userdata)

    queue.set_callback(callback)
    for i in range(5):
        queue.start_async([X], i)
    with pytest.raises(RequestErrors) as caught:
        queue.wait_all()
    errors = sorted(caught.value.exceptions, key=str)
    assert all(isinstance(error, CallbackError) and isinstance(error.__cause__, KeyError) for error in errors)
    assert ["job 1 " in str(errors[0]), "job 3 " in str(errors[1]), len(errors)] == [True, True, 2]
    queue.set_callback(None)
    queue.start_async([X])
    queue.wait_all()


def test_a_callback_can_neither_wait_for_the_queue_nor_for_a_request_that_cannot_come() -> None:
    queue, errors = queue_at(open_gate(), 1), []

    def callback(request: InferRequest, userdata: Any) -> None:
        for call in (queue.wait_all, queue.get_idle_request_id, lambda: queue.start_async([X])):
            with pytest.raises(RequestError, match="callback"):
                call()
            errors.append(call)

    queue.set_callback(callback)
    queue.start_async([X])
    queue.wait_all()
    assert len(errors) == 3


def test_map_keeps_the_order_and_looks_ahead_no_further_than_it_may() -> None:
    taken: list[int] = []

    def inputs() -> Iterator[list[Array]]:
        for i in range(30):
            taken.append(i)
            yield [X + i]

    queue = queue_at(open_gate())
    given: list[float] = []
    for results in queue.map(inputs(), ahead=4):
        assert len(taken) - len(given) <= 4
        given.append(sums(results))
    assert given == list(range(30))
    assert [sums(r) for r in queue.map([X + i] for i in range(5))] == list(range(5))
    with pytest.raises(InputError, match="ahead"):
        queue.map([], ahead=0)


def test_map_raises_an_error_in_its_place_and_the_queue_goes_on(failing_at_4: RequestQueue) -> None:
    given: list[float] = []
    results = failing_at_4.map([X + i] for i in range(10))
    with pytest.raises(DelegateExecuteError):
        given.extend(sums(each) for each in results)
    failing_at_4.wait_all()
    assert [sums(each) for each in failing_at_4.map([X + i] for i in range(3))] == [0, 1, 2]


def test_a_map_that_is_let_go_cancels_what_it_began() -> None:
    gate = open_gate()
    queue = queue_at(gate)
    results = queue.map(([X + i] for i in range(100)), ahead=3)
    assert sums(next(results)) == 0
    gate.opened.clear()
    gate.entered = threading.Semaphore(0)
    results.close()
    gate.open()
    queue.wait_all()


def test_as_completed_gives_each_once_and_tells_of_errors_behind_them(failing_at_4: RequestQueue) -> None:
    given: dict[int, float] = {}

    def take_all() -> None:
        for position, results in failing_at_4.as_completed([X + i] for i in range(10)):
            assert position not in given
            given[position] = sums(results)

    with pytest.raises(RequestErrors) as caught:
        take_all()
    assert given == {i: i for i in range(10) if i != 4}
    assert [isinstance(error, DelegateExecuteError) for error in caught.value.exceptions] == [True]


def test_leaving_the_block_waits_and_by_an_exception_cancels() -> None:
    gate, seen = Gate(), []
    queue = queue_at(gate, 2)
    queue.set_callback(None, on_error=lambda request, userdata, error: seen.append((userdata, error)))

    def leave() -> None:
        with queue:
            for i in range(2):
                queue.start_async([X], i)
                gate.wait_for_a_run()
            raise KeyError

    with pytest.raises(KeyError):
        leave()
    assert sorted(userdata for userdata, _ in seen) == [0, 1]
    assert all(isinstance(error, RequestCancelled) for _, error in seen)
    assert [request.outcome for request in queue] == [Outcome.CANCELLED] * 2
    gate.open()
    queue.start_async([X])
    queue.wait_all()


def test_requests_are_idle_again_after_every_outcome(failing_at_4: RequestQueue) -> None:
    queue = failing_at_4
    for i in range(12):
        queue.start_async([X + i % 6], i)
        if i % 3 == 2:
            queue.cancel_all()
    with pytest.raises(RequestErrors):
        queue.wait_all()
    assert [sums(each) for each in queue.map([X + i] for i in range(3))] == [0, 1, 2]


def test_wrong_inputs_of_one_item_are_the_error_of_that_item() -> None:
    queue = RequestQueue(held(open_gate(), 1).compiled, 2)
    inputs = [X, X[0], X + 1]
    results = queue.map(inputs)
    np.testing.assert_array_equal(next(results)[0], X + STEP)
    with pytest.raises(InputError, match=r"expected shape \[2, 3\]") as raised:
        next(results)
    assert raised.value.__notes__ == ["job 1 of the queue (userdata 1)"]

    found: dict[int, Array] = {}
    text = r"1 error in place of results; the first: .*expected shape .*\[job 4 of"
    with pytest.raises(RequestErrors, match=text) as all_:
        found.update((position, each[0]) for position, each in queue.as_completed(inputs))
    assert len(all_.value.exceptions) == 1
    assert sorted(found) == [0, 2]
    np.testing.assert_array_equal(found[2], X + 1 + STEP)
    np.testing.assert_array_equal(next(queue.map([X]))[0], X + STEP)


def test_a_wrong_model_or_time_is_rejected() -> None:
    with pytest.raises(TypeError, match="model must be CompiledModel, but got int"):
        RequestQueue(3)  # type: ignore[arg-type]
    queue = RequestQueue(held(open_gate(), 1).compiled, 1)
    with pytest.raises(TypeError, match="start_async: timeout must be a number or None, but got str"):
        queue.start_async(X, timeout="x")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="start_async: timeout must be finite and at least 0, or None, got -1"):
        queue.start_async(X, timeout=-1)


def test_errors_are_told_in_one_line_with_the_run() -> None:
    queue = RequestQueue(held(open_gate(), 1).compiled, 1)
    queue.set_callback(lambda request, data: dict[str, int]()["absent"])
    queue.start_async(X, "mine")
    with pytest.raises(
        RequestErrors, match=r"^1 error in runs .*; the first: .*job 0 of the queue \(userdata 'mine'\)"
    ):
        queue.wait_all()
