from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from lite_delegate import Context, Model
from lite_delegate.benchmark import Benchmark, BenchmarkOptions, RunLimits, benchmark, trace_json
from lite_delegate.benchmark import profiling as profiling_module
from lite_delegate.demo import model_path
from lite_delegate.npu import NPUDelegate
from tests.benchmark.fakes import FakeClock
from tests.benchmark.models import ESTIMATE, Working, X, built, mixed, reports_all

OPTIONS = BenchmarkOptions(warmup=0, limits=RunLimits(2, None), profile=True)
HOST, DEVICE = 1, 2


def traced(clock: FakeClock, delegate: Working | None) -> tuple[Benchmark, dict[str, Any]]:
    model = built(mixed(), clock, delegate)
    found = benchmark(model, X, OPTIONS, clock=clock)
    return found, json.loads(trace_json(found.traced, model))


def events(trace: dict[str, Any], pid: int) -> list[dict[str, Any]]:
    return [e for e in trace["traceEvents"] if e["ph"] == "X" and e["pid"] == pid]


def names(trace: dict[str, Any], what: str) -> dict[tuple[int, int], str]:
    return {(e["pid"], e["tid"]): e["args"]["name"] for e in trace["traceEvents"] if e["name"] == what}


def check_structure(trace: dict[str, Any]) -> None:
    """What viewers need: known phases, numbers that are none below 0, events of one thread nested or apart."""
    threads: dict[tuple[int, int], list[tuple[float, float]]] = defaultdict(list)
    for event in trace["traceEvents"]:
        assert event["ph"] in "XM"
        assert {"name", "pid", "tid", "args"} <= set(event)
        if event["ph"] == "X":
            assert event["dur"] >= 0
            assert event["ts"] >= 0
            assert isinstance(event["cat"], str)
            threads[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    assert set(threads) <= set(names(trace, "thread_name"))
    for found in threads.values():
        around: list[float] = []
        for start, end in sorted(found, key=lambda e: (e[0], -e[1])):
            while around and around[-1] <= start + 1e-6:
                around.pop()
            assert not around or end <= around[-1] + 1e-6
            around.append(end)


def test_what_was_measured_is_one_event_per_span() -> None:
    clock = FakeClock()
    found, trace = traced(clock, Working(clock, reports_all, ("n0", "n1", "n2"), ESTIMATE))
    check_structure(trace)
    host = events(trace, HOST)
    assert len(host) == sum(map(len, found.traced))
    roots = [e for e in host if e["cat"] == "prediction"]
    assert [(e["ts"], e["dur"], e["args"]["prediction"]) for e in roots] == [(0.0, 9.05, 1), (9.05, 9.05, 2)]
    assert sum(e["dur"] for e in host if e["cat"] == "compute") == 4 * 3.0
    assert {e["args"]["subgraph"] for e in host if e["cat"] in ("pack", "enqueue", "unpack")} == {"sub1", "sub2"}


def test_a_kernel_shows_node_type_shapes_and_subgraph() -> None:
    clock = FakeClock()
    _, trace = traced(clock, Working(clock, reports_all, ("n0", "n1", "n2"), ESTIMATE))
    custom = next(e for e in events(trace, HOST) if e["name"] == "c0")
    assert custom["args"] == {
        "node": "c0",
        "type": "Custom",
        "inputs": ["n0:0: float32 [2, 3]"],
        "outputs": ["c0:0: float32 [2, 3]"],
    }
    graph = next(e for e in events(trace, HOST) if e["name"] == "sub2")
    assert graph["args"]["type"] == "Group"
    assert graph["args"]["nodes"] == ["n1", "n2"]
    assert graph["args"]["subgraph"] == "sub2"


def test_constants_are_no_inputs_that_a_kernel_shows() -> None:
    _, trace = traced(FakeClock(), None)
    added = next(e for e in events(trace, HOST) if e["name"] == "n0")
    assert added["args"]["inputs"] == ["x: float32 [2, 3]"]


def test_the_estimate_is_a_process_of_its_own_that_says_so() -> None:
    clock = FakeClock()
    _, trace = traced(clock, Working(clock, reports_all, ("n0", "n1", "n2"), ESTIMATE))
    assert names(trace, "process_name") == {(HOST, 0): "host (measured)", (DEVICE, 0): "estimate (simulated device)"}
    assert all("estimate" in name for (pid, _), name in names(trace, "thread_name").items() if pid == DEVICE)
    device = events(trace, DEVICE)
    subgraphs = [(e["name"], e["ts"], e["dur"]) for e in device if e["tid"] == 1]
    # measured starts are 0, 4.525, 9.05 and 13.575 us; one call is estimated to take 12.5 us
    assert subgraphs == [("sub1", 0.0, 12.5), ("sub2", 12.5, 12.5), ("sub1", 25.0, 12.5), ("sub2", 37.5, 12.5)]
    layers = [(e["name"], e["tid"], e["ts"], e["dur"]) for e in device if e["tid"] > 1]
    assert layers[:3] == [("load", 2, 0.5, 2.0), ("both", 3, 1.5, 8.0), ("load", 2, 13.0, 2.0)]
    assert next(e for e in device if e["name"] == "both")["args"]["nodes"] == ["n0", "n1"]
    assert not [e for e in device if e["name"] == "view"]


def test_without_estimates_there_is_no_such_process() -> None:
    clock = FakeClock()
    _, trace = traced(clock, Working(clock, reports_all, ("n0",)))
    check_structure(trace)
    assert names(trace, "process_name") == {(HOST, 0): "host (measured)"}
    assert not events(trace, DEVICE)


def test_it_keeps_as_many_predictions_as_fit_and_one_in_any_case(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FakeClock()
    options = BenchmarkOptions(limits=RunLimits(7, None), profile=True)
    model = built(mixed(), clock, Working(clock, reports_all, ("n0",)))
    per_run = len(benchmark(model, X, options, clock=clock).traced[0])
    for most, kept in ((7 * per_run, 7), (3 * per_run + 1, 3), (1, 1)):
        monkeypatch.setattr(profiling_module, "MAX_SPANS", most)
        found = benchmark(model, X, options, clock=clock)
        assert len(found.traced) == kept
        assert found.report.profile is not None
        assert found.report.profile.latency.runs == 7
        assert json.loads(trace_json(found.traced, model))["otherData"]["predictions"] == kept


def test_batches_of_predictions_add_up_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    profiles = []
    for spans in (1, 50_000):
        monkeypatch.setattr(profiling_module, "BATCH_SPANS", spans)
        clock = FakeClock()
        model = built(mixed(), clock, Working(clock, reports_all, ("n0", "n1"), ESTIMATE))
        profiles.append(
            benchmark(model, X, BenchmarkOptions(limits=RunLimits(5, None), profile=True), clock=clock).report
        )
    assert profiles[0].profile == profiles[1].profile


def test_the_npu_on_the_digits() -> None:
    context = Context()
    context.set_delegate(NPUDelegate("kirin"))
    model = Model()
    model.build_from_file(model_path(), context=context)
    (tensor,) = model.get_inputs()
    shape = [max(1, d) for d in tensor.shape]
    model.resize([tensor], [shape])
    found = benchmark(model, {tensor.name: np.zeros(shape, np.float32)}, OPTIONS)
    trace = json.loads(trace_json(found.traced, model))
    check_structure(trace)
    device = events(trace, DEVICE)
    kernels = {k.name: k.estimate() for k in model.get_graph_kernels()}
    assert sum(e["dur"] for e in device if e["tid"] == 1) == pytest.approx(
        2 * sum(e.estimated_us for e in kernels.values() if e is not None), abs=0.01
    )
    assert len([e for e in device if e["tid"] == 1]) == 2 * len(kernels)
