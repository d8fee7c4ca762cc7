"""Asynchronous runs: started, waited for, called back, let go, and what stays of them."""

from __future__ import annotations

import gc
import logging
import math
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from time import monotonic
from typing import Any

import numpy as np
import pytest

from lite_delegate import (
    CallbackError,
    Core,
    DelegateExecuteError,
    InputError,
    RequestBusy,
    RequestCancelled,
    RequestError,
)
from lite_delegate.delegate import SpanKind, recording
from lite_delegate.inference import InferRequest, Outcome, RequestQueue, RequestStatus, Stage
from lite_delegate.inference.executor.completion import Completion
from lite_delegate.inference.executor.executor import EXIT_SECONDS
from lite_delegate.npu import Device, Faults, NPUDelegate
from tests.inference.holding import LONG, STEP, Gate, X, held, open_gate
from tests.inference.requests.test_cancelling import until
from tests.runtime.graphs import chain

WHO: ContextVar[str] = ContextVar("WHO", default="nobody")


def failing() -> None:
    raise OSError("no device today")


def request_at(gate: Gate, length: int = 2) -> InferRequest:
    return held(gate, length).compiled.create_infer_request()


class Heard:
    """Callbacks that note what they get, and in which thread."""

    def __init__(self) -> None:
        self.done: list[Any] = []
        self.failed: list[tuple[Any, Exception]] = []
        self.threads: list[threading.Thread] = []

    def callback(self, userdata: Any) -> None:
        self.threads.append(threading.current_thread())
        self.done.append(userdata)

    def on_error(self, userdata: Any, error: Exception) -> None:
        self.threads.append(threading.current_thread())
        self.failed.append((userdata, error))


def test_results_of_one_run_are_not_changed_by_the_next() -> None:
    request = request_at(open_gate())
    request.infer([X])
    outputs = []
    for add in (1, 2, 3):
        request.start_async([X + add])
        request.wait()
        outputs.append((request.results[0], add))
    data = request.get_output_tensor().data
    np.testing.assert_array_equal(data, outputs[-1][0])
    request.start_async([X + 4])
    request.wait()
    np.testing.assert_array_equal(request.get_output_tensor().data, outputs[0][0] + 3)
    for found, add in outputs:
        np.testing.assert_array_equal(found, outputs[0][0] + add - 1)


def test_a_started_run_gives_the_results_of_infer() -> None:
    request = request_at(open_gate())
    wanted = request.infer([X + 3])[0]
    request.start_async([X + 3])
    request.wait()
    np.testing.assert_array_equal(request.results[0], wanted)
    assert (request.status, request.outcome) == (RequestStatus.IDLE, Outcome.DONE)
    assert request.profile.stages[Stage.QUEUE] > 0
    assert sum(request.profile.stages.values()) == request.profile.latency_ns


def test_wait_returns_at_once_before_a_start_and_after_the_first_time() -> None:
    request = request_at(open_gate())
    request.wait()
    assert not request.wait_for(0)
    request.start_async([X])
    request.wait()
    request.wait()
    assert request.wait_for(0)
    assert request.wait_for(None)


def test_waiting_is_limited() -> None:
    gate = Gate()
    request = request_at(gate)
    request.start_async([X])
    gate.wait_for_a_run()
    assert not request.wait_for(0)
    assert not request.wait_for(1)
    gate.open()
    assert request.wait_for(LONG * 1000)
    for wrong in (-1, math.nan, math.inf):
        with pytest.raises(InputError, match="milliseconds"):
            request.wait_for(wrong)
    with pytest.raises(TypeError, match="milliseconds"):
        request.wait_for("1")  # type: ignore[arg-type]


def test_a_failed_run_raises_the_same_error_at_each_wait_until_the_next_start() -> None:
    gate = open_gate()
    gate.on_enter = failing
    request = request_at(gate)
    request.start_async([X])
    errors = []
    for _ in range(2):
        with pytest.raises(DelegateExecuteError, match="no device today") as caught:
            request.wait()
        errors.append(caught.value)
    assert errors[0] is errors[1] is request.error
    with pytest.raises(DelegateExecuteError):
        request.wait_for(1)
    gate.on_enter = lambda: None
    request.start_async([X])
    request.wait()
    assert request.error is None


def test_a_wrong_input_is_an_error_at_the_start() -> None:
    request = request_at(open_gate())
    with pytest.raises(InputError):
        request.start_async([np.zeros((5, 5), np.float32)])
    request.start_async([X])
    request.wait()


def test_a_busy_request_says_so() -> None:
    gate = Gate()
    request = request_at(gate)
    request.start_async([X])
    gate.wait_for_a_run()
    calls = [
        lambda: request.start_async([X]),
        lambda: request.infer([X]),
        lambda: request.set_callback(None),
        lambda: request.get_tensor("x"),
        lambda: request.results,
        lambda: request.latency,
    ]
    for call in calls:
        with pytest.raises(RequestBusy):
            call()
    assert request.status is RequestStatus.RUNNING
    gate.open()
    request.wait()


def test_a_queued_run_is_cancelled_at_once() -> None:
    gate, heard = Gate(), Heard()
    compiled = held(gate).compiled
    workers = compiled.optimal_requests
    running = [compiled.create_infer_request() for _ in range(workers)]
    for request in running:
        request.start_async([X])
        gate.wait_for_a_run()
    queued, silent = compiled.create_infer_request(), compiled.create_infer_request()
    queued.set_callback(heard.callback, "data", on_error=heard.on_error)
    for request in (queued, silent):
        request.start_async([X])
        assert request.status is RequestStatus.QUEUED
        assert request.cancel()
        assert not request.cancel()
        with pytest.raises(RequestCancelled):
            request.wait()
        assert request.outcome is Outcome.CANCELLED
    assert [userdata for userdata, _ in heard.failed] == ["data"]
    assert not heard.done
    assert all(thread is not threading.current_thread() for thread in heard.threads)
    gate.open()
    for request in running:
        request.wait()
    queued.start_async([X])
    queued.wait()
    assert heard.done == ["data"]


def test_a_running_run_is_cancelled_and_on_error_is_told() -> None:
    gate, heard = Gate(), Heard()
    request = request_at(gate)
    request.set_callback(heard.callback, 1, on_error=heard.on_error)
    request.start_async([X], userdata=2)
    gate.wait_for_a_run()
    assert request.cancel()
    with pytest.raises(RequestCancelled):
        request.wait()
    (told,) = heard.failed
    assert told[0] == 2
    assert isinstance(told[1], RequestCancelled)
    assert not heard.done


def test_on_error_is_told_once_where_a_run_fails_or_is_cancelled_while_it_waits_for_the_device() -> None:
    heard, x = Heard(), np.ones((64, 64), np.float32)
    device = Device(faults=Faults(timeout=range(1, 100)))
    core = Core()
    core.register_device("chip", lambda options: NPUDelegate(device=device))
    request = core.compile_model(chain(1, (64, 64)), "chip").create_infer_request()
    request.set_callback(heard.callback, "data", on_error=heard.on_error)
    with device.turns.turn(Fraction(1)):
        request.start_async([x])
        until(lambda: device.turns.waiting == 1)
        assert request.cancel()
        with pytest.raises(RequestCancelled):
            request.wait()
    request.start_async([x])
    with pytest.raises(DelegateExecuteError):
        request.wait()
    assert [(data, type(error)) for data, error in heard.failed] == [
        ("data", RequestCancelled),
        ("data", type(request.error)),
    ]
    assert heard.done == []
    assert all(thread is not threading.current_thread() for thread in heard.threads)


def test_the_callback_comes_in_a_worker_when_outputs_are_there_and_before_who_waits() -> None:
    request, seen = request_at(open_gate()), []

    def callback(userdata: Any) -> None:
        seen.append((request.results[0], request.status, threading.current_thread(), userdata, request.cancel()))

    request.set_callback(callback, "mine")
    request.start_async([X])
    request.wait()
    ((result, status, thread, userdata, was_cancelled),) = seen
    np.testing.assert_array_equal(result, X + STEP + 2)
    assert status is RequestStatus.IDLE
    assert thread is not threading.current_thread()
    assert userdata == "mine"
    assert not was_cancelled
    request.infer([X])
    assert len(seen) == 1
    heard = Heard()
    request.set_callback(heard.callback)
    request.start_async([X])
    request.wait()
    request.set_callback(None)
    request.start_async([X])
    request.wait()
    assert (len(seen), heard.done) == (1, [None])


def test_an_error_of_the_callback_is_the_cause_of_the_error_of_wait() -> None:
    request = request_at(open_gate())

    def callback(userdata: Any) -> None:
        raise KeyError("oops")

    request.set_callback(callback)
    request.start_async([X])
    for _ in range(2):
        with pytest.raises(CallbackError, match="oops") as caught:
            request.wait()
        assert isinstance(caught.value.__cause__, KeyError)
    assert request.outcome is Outcome.DONE
    np.testing.assert_array_equal(request.results[0], X + STEP + 2)
    request.set_callback(None)
    request.start_async([X])
    request.wait()


def test_a_callback_must_be_callable() -> None:
    request = request_at(open_gate())
    with pytest.raises(TypeError, match="set_callback: callback must be a function or None, but got int"):
        request.set_callback(3)  # type: ignore[arg-type]
    queue = RequestQueue(held(open_gate(), 2).compiled, 1)
    with pytest.raises(TypeError, match="set_callback: on_error must be a function or None, but got str"):
        queue.set_callback(None, on_error="x")  # type: ignore[arg-type]


def test_a_callback_that_exits_ends_nothing() -> None:
    request = request_at(open_gate())
    request.set_callback(lambda userdata: sys.exit(3))
    request.start_async([X])
    with pytest.raises(CallbackError):
        request.wait()


def test_errors_that_nobody_fetched_are_logged_and_cancellations_are_not(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "lite_delegate")
    gate = open_gate()
    gate.on_enter = failing
    heard = Heard()
    for on_error in (None, heard.on_error):
        request = request_at(gate)
        request.set_callback(None, on_error=on_error)
        request.start_async([X])
        until(lambda request=request: request.outcome is Outcome.FAILED)  # type: ignore[misc]
        until(lambda request=request: not request._completions)  # type: ignore[misc]
        del request
        gc.collect()
    assert len([r for r in caplog.records if "nobody asked" in r.message]) == 1
    assert len(heard.failed) == 1


def test_waiting_in_the_own_callback_is_an_error() -> None:
    request = request_at(open_gate())
    errors: list[Exception] = []

    def callback(userdata: Any) -> None:
        for wait in (request.wait, lambda: request.wait_for(None)):
            with pytest.raises(RequestError, match="own callback") as caught:
                wait()
            errors.append(caught.value)

    request.set_callback(callback)
    request.start_async([X])
    request.wait()
    assert len(errors) == 2


def test_a_callback_that_starts_the_next_run_ends_with_the_last_one() -> None:
    request, left = request_at(open_gate()), [5]
    results: list[float] = []

    def callback(userdata: Any) -> None:
        results.append(float(request.results[0][0, 0]))
        left[0] -= 1
        if left[0]:
            request.start_async([X + left[0]])

    request.set_callback(callback)
    request.start_async([X])
    request.wait()
    assert results == [STEP + 2, *(STEP + 2 + n for n in (4, 3, 2, 1))]


def test_what_the_starter_has_set_is_seen_by_kernels_callbacks_and_recorders() -> None:
    seen: list[str] = []
    gate = open_gate()
    gate.on_enter = lambda: seen.append(WHO.get())
    request = request_at(gate)
    request.set_callback(lambda userdata: seen.append(WHO.get()))
    spans: list[tuple[SpanKind, str]] = []

    class Recorder:
        def begin(self, kind: SpanKind, name: str, kernel: Any) -> None:
            spans.append((kind, name))

        def end(self) -> None:
            pass

    before = WHO.set("starter")
    try:
        with recording(Recorder()):
            request.start_async([X])
    finally:
        WHO.reset(before)
    request.wait()
    assert seen == ["starter", "starter"]
    assert (SpanKind.GRAPH_KERNEL, "Holding0") in spans
    assert any(kind is SpanKind.CPU_KERNEL for kind, _ in spans)


def test_letting_a_running_request_go_cancels_it() -> None:
    gate = Gate()
    compiled = held(gate).compiled
    request = compiled.create_infer_request()
    request.start_async([X])
    gate.wait_for_a_run()
    gone = weakref.ref(request)
    del request
    assert gone() is None
    until(lambda: gate.inside == 0)
    gate.open()
    other = compiled.create_infer_request()
    other.start_async([X])
    other.wait()


def test_workers_go_with_the_model_and_its_requests() -> None:
    before = set(threading.enumerate())
    compiled = held(open_gate()).compiled
    request = compiled.create_infer_request()
    request.start_async([X])
    request.wait()
    assert set(threading.enumerate()) - before
    del compiled
    request.start_async([X])
    request.wait()
    del request
    gc.collect()
    until(lambda: not set(threading.enumerate()) - before)


@pytest.mark.parametrize("is_cancelled", [True, False])
def test_a_request_whose_error_was_raised_goes_with_the_model_and_its_workers(is_cancelled: bool) -> None:
    before = set(threading.enumerate())
    gate = Gate()
    request = request_at(gate)
    gate.on_enter = (lambda: None) if is_cancelled else failing
    request.start_async([X])
    if is_cancelled:
        request.cancel()
    with pytest.raises((RequestCancelled, DelegateExecuteError)):
        request.wait()
    gone = weakref.ref(request)
    del request

    def is_gone() -> bool:
        gc.collect()
        return gone() is None

    until(is_gone)  # the worker may still be about to let it go
    until(lambda: not set(threading.enumerate()) - before)


def test_as_many_runs_at_once_as_there_are_workers() -> None:
    gate = Gate()
    compiled = held(gate).compiled
    requests = [compiled.create_infer_request() for _ in range(compiled.optimal_requests + 2)]
    for request in requests:
        request.start_async([X])
    for _ in range(compiled.optimal_requests):
        gate.wait_for_a_run()
    assert not gate.entered.acquire(timeout=0.05)
    gate.open()
    for request in requests:
        request.wait()
    assert gate.most == compiled.optimal_requests


def test_many_runs_leave_nothing_behind() -> None:
    request = request_at(open_gate())
    request.start_async([X])
    request.wait()
    threads, handles = threading.active_count(), len(os.listdir("/proc/self/fd")) if os.path.exists("/proc") else 0
    for _ in range(1000):
        request.start_async([X])
        request.wait()
    gc.collect()
    assert threading.active_count() <= threads + 1
    if handles:
        assert len(os.listdir("/proc/self/fd")) == handles


def test_the_caller_that_cancels_an_asynchronous_run_is_told_the_outcome() -> None:
    request = request_at(open_gate())
    for _ in range(200):
        request.start_async([X])
        told = request.cancel()
        try:
            assert request.wait_for(LONG * 1000)
        except RequestCancelled:
            assert told
            assert request.outcome is Outcome.CANCELLED
        else:
            assert not told
            assert request.outcome is Outcome.DONE


EXITING = """
import threading
from tests.inference.holding import Gate, X, held
gate = Gate()
compiled = held(gate).compiled
requests = [compiled.create_infer_request() for _ in range(8)]
for request in requests:
    request.set_callback({callback}, on_error={callback})
    request.start_async([X])
gate.wait_for_a_run()
{more}
print("ready", flush=True)
"""
RUNNING_ELSEWHERE = "threading.Thread(target=compiled, args=([X],), daemon=True).start(); gate.wait_for_a_run()"


@pytest.mark.parametrize(
    ("callback", "more"),
    [("None", ""), ("print", RUNNING_ELSEWHERE), ("None", "raise SystemExit(print('ready', flush=True))")],
    ids=["asynchronous", "called back, and a call in a thread", "exit"],
)
def test_a_process_that_ends_cancels_its_runs_silently(callback: str, more: str) -> None:
    """It ends sooner than it would if it waited for runs that go on: a run of it would never end by itself."""
    code = EXITING.format(callback=callback, more=more)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"ready\n"
        begin = monotonic()
        assert process.wait(LONG) == 0
        assert monotonic() - begin < EXIT_SECONDS
        assert process.stderr.read() == b""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_request_of_another_process_says_so_and_a_new_one_works() -> None:
    compiled = held(open_gate()).compiled
    request = compiled.create_infer_request()
    request.start_async([X])
    request.wait()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            for call in (request.wait, lambda: request.wait_for(0), lambda: request.start_async([X])):
                with pytest.raises(RequestError, match="another process"):
                    call()
            fresh = compiled.create_infer_request()
            fresh.start_async([X])
            status = 0 if fresh.wait_for(LONG * 1000) else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("fails", [False, True])
def test_another_thread_waits_for_a_run_of_infer(fails: bool) -> None:
    gate = Gate()
    request = held(gate).compiled.create_infer_request()
    assert not request.wait_for(0)
    with ThreadPoolExecutor(2) as pool:
        run = pool.submit(request.infer, X)
        gate.wait_for_a_run()
        assert not request.wait_for(0)
        waiting = pool.submit(request.wait_for, LONG * 1000)
        if fails:
            request.cancel()
        gate.open()
        for each in (run, waiting):
            if fails:
                with pytest.raises(RequestCancelled):
                    each.result(LONG)
            else:
                assert each.result(LONG)
    if fails:
        with pytest.raises(RequestCancelled):
            request.wait()
    else:
        assert request.wait_for(0)


def test_the_threads_of_the_math_library_stay_divided_between_runs_that_follow_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    divided: list[int] = []

    @contextmanager
    def counted(share: int) -> Iterator[None]:
        divided.append(share)
        yield

    monkeypatch.setattr("lite_delegate.inference.executor.executor.divided_threads", counted)
    monkeypatch.setattr("lite_delegate.inference.executor.executor.LINGER_SECONDS", LONG)
    request = held(open_gate()).compiled.create_infer_request()
    for _ in range(3):
        request.start_async(X)
        request.wait()
    assert len(divided) == 1


def test_a_wait_that_gave_up_leaves_nothing_for_the_end_of_the_run() -> None:
    completion = Completion()
    assert not any(completion.wait(0.0001) for _ in range(3))
    assert not completion._wakes
    completion.finish(None, is_known=True)
    assert completion.wait(None)
