"""Stages of runs: exact sums, what shows where, and how they are told."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from fractions import Fraction
from itertools import pairwise
from threading import Event
from time import perf_counter_ns
from typing import Any

import numpy as np
import pytest

from lite_delegate import Context, DelegateExecuteError, KernelError, Model
from lite_delegate.delegate import TurnCause
from lite_delegate.demo import model_path
from lite_delegate.inference import InferRequest, RequestProfile, Stage, to_chrome_trace
from lite_delegate.inference.profiling import stages
from lite_delegate.npu import NPUDelegate
from tests.inference.holding import LONG, held, open_gate
from tests.inference.requests.test_request_calls import Custom
from tests.inference.reusing import ReusingDelegate, built
from tests.runtime.graphs import chain

X = np.zeros((2, 3), np.float32)


def npu_request(options: dict[str, object] | None = None) -> tuple[Model, InferRequest, Any]:
    context, model = Context(), Model()
    context.set_delegate(NPUDelegate(options=options or {}))
    model.build_from_file(model_path(), context=context)
    return model, model.compiled.create_infer_request(), np.ones(model.compiled.input().shape, np.float32)


def check_exact(profile: RequestProfile) -> None:
    """Integers, boundaries that are shared, sums that are the latency."""
    assert all(type(ns) is int for ns in profile.stages.values())
    assert sum(profile.stages.values()) == profile.latency_ns
    assert all(a.end_ns == b.start_ns for a, b in pairwise(profile.stretches))
    assert (profile.stretches[0].start_ns, profile.stretches[-1].end_ns) == (profile.start_ns, profile.end_ns)
    assert sum(s.duration_ns for s in profile.stretches) == profile.latency_ns


def test_stages_of_a_mixed_plan_add_up() -> None:
    model = built(chain(4), ReusingDelegate(["n0", "n2"]))
    request = model.compiled.create_infer_request()
    request.infer(X)
    profile = request.profile
    check_exact(profile)
    computing = [s.stage for s in profile.stretches if s.stage in (Stage.COMPUTE, Stage.CPU)]
    assert computing == [Stage.CPU, Stage.COMPUTE, Stage.CPU, Stage.COMPUTE, Stage.CPU]
    assert request.latency == timedelta(microseconds=profile.latency_ns / 1000)


def test_stages_on_the_npu() -> None:
    _, request, x = npu_request()
    request.infer(x)
    check_exact(request.profile)
    wanted = {Stage.PREPROCESS, Stage.UPLOAD, Stage.TURN, Stage.COMPUTE, Stage.DOWNLOAD, Stage.POSTPROCESS}
    assert wanted <= set(request.profile.stages)


def test_an_asynchronous_run_has_its_queue_among_its_stages() -> None:
    _, request, x = npu_request()
    request.start_async(x)
    request.wait()
    check_exact(request.profile)
    assert [s.stage for s in request.profile.stretches[:3]] == [Stage.PREPROCESS, Stage.QUEUE, Stage.PREPROCESS]


def test_stages_of_a_run_that_fails_end_with_the_one_that_failed() -> None:
    custom = Custom()
    custom.fails = True
    with pytest.raises(KernelError):
        custom.request.infer([X])
    check_exact(custom.request.profile)
    assert custom.request.profile.stretches[-1].stage is Stage.CPU
    assert [i.status for i in custom.request.get_profiling_info()] == ["executed", "not run", "not run"]


def test_stages_of_a_loop_are_summed_beyond_the_most_that_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "MOST_STRETCHES", 8)
    request = built(chain(30), ReusingDelegate([f"n{i}" for i in range(0, 30, 2)])).compiled.create_infer_request()
    request.infer(X)
    profile = request.profile
    assert sum(profile.stages.values()) == profile.latency_ns
    assert len(profile.stretches) <= 10


def test_the_three_entries_come_first_with_microseconds() -> None:
    _, request, x = npu_request()
    request.infer(x)
    infos = request.get_profiling_info()
    assert [i.node_name for i in infos] == ["input preprocessing", "execution time", "output postprocessing"]
    profile = request.profile
    assert infos[0].real_time == timedelta(microseconds=profile.stages[Stage.PREPROCESS] / 1000)
    assert infos[2].real_time == timedelta(microseconds=profile.stages[Stage.POSTPROCESS] / 1000)
    assert abs(sum((i.real_time for i in infos), timedelta()) - request.latency) <= timedelta(microseconds=3)
    assert {(i.status, i.exec_type, i.is_estimate) for i in infos} == {("executed", "host", False)}


def test_nodes_are_there_where_performance_is_counted() -> None:
    model, request, x = npu_request({"PERF_COUNT": "YES"})
    request.infer(x)
    nodes = request.get_profiling_info()[3:]
    kernels = model.get_graph_kernels()
    assert {n.node_name.partition(": ")[0] for n in nodes} == {k.name for k in kernels}
    assert all(n.is_estimate for n in nodes)
    estimates = [k.estimate() for k in kernels]
    layers = [layer for estimate in estimates if estimate is not None for layer in estimate.layers]
    assert [n.node_type for n in nodes] == [layer.instruction for layer in layers]


def test_waiting_for_the_device_shows_as_turn_only() -> None:
    model, request, x = npu_request()
    (delegate,) = model.compiled.delegates.values()
    assert isinstance(delegate, NPUDelegate)
    turns = delegate.device.turns
    with ThreadPoolExecutor(1) as pool:
        with turns.turn(Fraction(1)):
            run = pool.submit(request.infer, x)
            while not turns.waiting:
                assert not run.done()
                time.sleep(0.001)
            begin = time.perf_counter_ns()
            time.sleep(0.01)
            end = time.perf_counter_ns()
        run.result()
    check_exact(request.profile)
    (waiting,) = [s for s in request.profile.stretches if s.start_ns <= begin and end <= s.end_ns]
    assert waiting.stage is Stage.TURN
    assert set(request.profile.waited) == {TurnCause.OTHER_PROGRAM}
    assert end - begin <= request.profile.waited[TurnCause.OTHER_PROGRAM] <= request.profile.stages[Stage.TURN]


def test_waiting_for_another_request_of_the_model_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    model, first, x = npu_request()
    second = model.compiled.create_infer_request()
    (delegate,) = model.compiled.delegates.values()
    assert isinstance(delegate, NPUDelegate)
    device, run, entered, go_on = delegate.device, delegate.device.run, Event(), Event()

    def waiting(*arguments: Any) -> Any:
        entered.set()
        assert go_on.wait(LONG)
        return run(*arguments)

    monkeypatch.setattr(device, "run", waiting)
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(first.infer, x)]
        assert entered.wait(LONG)
        runs.append(pool.submit(second.infer, x))
        while not device.turns.waiting:
            time.sleep(0.001)
        begin = time.perf_counter_ns()
        time.sleep(0.01)
        overlap = time.perf_counter_ns() - begin
        go_on.set()
        for each in runs:
            each.result(LONG)
    assert first.profile.waited == {}
    check_exact(second.profile)
    assert set(second.profile.waited) == {TurnCause.OTHER_REQUEST}
    assert overlap <= second.profile.waited[TurnCause.OTHER_REQUEST] <= second.profile.stages[Stage.TURN]


@pytest.mark.parametrize("fails", [False, True])
def test_the_callback_is_told_and_is_no_part_of_the_latency(fails: bool) -> None:
    gate = open_gate()
    request = held(gate).compiled.create_infer_request()
    seen: list[RequestProfile] = []

    def called(*_: object) -> None:
        seen.append(request.profile)
        time.sleep(0.005)

    request.infer(X)
    assert request.profile.callback is None
    request.set_callback(called, on_error=called)
    if fails:
        gate.on_enter = raising
    request.start_async(X)
    if fails:
        with pytest.raises(DelegateExecuteError, match="no device"):
            request.wait()
    else:
        request.wait()
    (inside,), profile = seen, request.profile
    check_exact(profile)
    assert inside.callback is None
    assert profile.callback is not None
    assert (profile.callback.stage, inside.stretches) == (Stage.CALLBACK, profile.stretches)
    assert profile.end_ns <= profile.callback.start_ns
    assert profile.callback.duration_ns >= 5_000_000
    events = to_chrome_trace({"lane": profile})["traceEvents"]
    assert [e["name"] for e in events].count("callback") == 1


def raising() -> None:
    raise OSError("no device today")


def test_a_run_reads_the_clock_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    readings = [0]

    def counted() -> int:
        readings[0] += 1
        return perf_counter_ns()

    request = built(chain(200), ReusingDelegate([])).compiled.create_infer_request()
    request.infer(X)
    for module in ("profiling.stages", "requests.job", "requests.running_request"):
        monkeypatch.setattr(f"lite_delegate.inference.{module}.perf_counter_ns", counted)
    request.infer(X)
    assert readings[0] == 4  # the start, and the ends of preprocess, cpu and postprocess, whatever the number of steps


def test_a_trace_has_a_lane_for_each_request_and_nothing_overlaps_in_it() -> None:
    _, first, x = npu_request()
    _, second, _ = npu_request()
    first.infer(x)
    second.infer(x)
    trace = json.loads(json.dumps(to_chrome_trace({"first": first.profile, "second": second.profile})))
    names = {e["args"]["name"]: e["tid"] for e in trace["traceEvents"] if e["ph"] == "M"}
    assert set(names) == {"first", "second"}
    for lane in names.values():
        events = [e for e in trace["traceEvents"] if e["ph"] == "X" and e["tid"] == lane]
        assert events
        assert all(a["ts"] + a["dur"] <= b["ts"] + 1e-3 for a, b in pairwise(events))


def test_the_clock_of_the_thread_is_read_where_a_run_takes_long_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    request = built(chain(2), ReusingDelegate(["n0"])).compiled.create_infer_request()
    request.infer(X)
    assert all(i.cpu_time is not None for i in request.get_profiling_info())  # nobody knows yet how long it takes
    monkeypatch.setattr("lite_delegate.inference.requests.running_request.SHORT_NS", request.profile.latency_ns)
    request.infer(X)
    assert all(i.cpu_time is None and i.status == "executed" for i in request.get_profiling_info())
    monkeypatch.setattr("lite_delegate.inference.requests.running_request.SHORT_NS", 0)
    request.infer(X)
    assert all(i.cpu_time is not None for i in request.get_profiling_info())
