from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from lite_delegate import DelegateExecuteError, DelegateModel, InputError, Kernel
from lite_delegate.benchmark import (
    BenchmarkOptions,
    BenchmarkReport,
    RunLimits,
    TimePart,
    TimeProfile,
    benchmark,
    trace_json,
)
from lite_delegate.delegate import DeviceEstimate, LayerEstimate
from tests.benchmark.fakes import FakeClock
from tests.benchmark.models import ESTIMATE, Worker, Working, X, built, mixed, reports_all, reports_nothing

NAMES = ("n0", "n1", "n2")


def profiled(clock: FakeClock, delegate: Working | None, runs: int = 4) -> BenchmarkReport:
    model = built(mixed(), clock, delegate)
    return benchmark(model, X, BenchmarkOptions(limits=RunLimits(runs, None), profile=True), clock=clock).report


def profile_of(report: BenchmarkReport) -> TimeProfile:
    assert report.profile is not None
    return report.profile


def test_first_run_warmup_and_measured_runs_are_told_apart() -> None:
    clock = FakeClock()
    took: list[int] = []

    class Growing(Working):
        pass

    def work(clock: FakeClock) -> None:
        took.append(len(took) * 1_000_000)
        clock.work(took[-1])

    model = built(mixed(), clock, Growing(clock, work, ("n0",)), cpu_ns=0)
    report = benchmark(
        model, X, BenchmarkOptions(warmup=2, limits=RunLimits(3, None)), clock=clock, build_ns=5_000_000
    ).report
    assert len(took) == 1 + 2 + 3
    assert (report.first_run_ms, report.warmup, report.build_ms) == (0.0, 2, 5.0)
    assert (report.latency.runs, report.latency.min, report.latency.p50, report.latency.max) == (3, 3.0, 4.0, 5.0)
    assert report.profile is None


def test_no_warmup_is_none_at_all() -> None:
    clock = FakeClock()
    calls: list[int] = []
    model = built(mixed(), clock, Working(clock, lambda clock: calls.append(1), ("n0",)))
    benchmark(model, X, BenchmarkOptions(warmup=0, limits=RunLimits(1, None)), clock=clock)
    assert len(calls) == 2


def test_parts_of_a_delegate_that_reports() -> None:
    clock = FakeClock()
    profile = profile_of(profiled(clock, Working(clock, reports_all, NAMES, ESTIMATE)))
    each = {
        TimePart.PACK: 200,
        TimePart.ENQUEUE: 40,
        TimePart.COMPUTE: 6_000,
        TimePart.UNPACK: 800,
        TimePart.CPU_KERNELS: 2_000,
    }
    assert profile.parts == {part: 4 * each.get(part, 0) for part in TimePart} | {TimePart.UNEXPLAINED: 4 * 10}
    assert profile.wall_ns == 4 * 9_050
    assert profile.unexplained_p50 == 10 / 9_050
    assert profile.overhead == 0.0


def test_parts_of_a_delegate_that_reports_nothing() -> None:
    clock = FakeClock()
    profile = profile_of(profiled(clock, Working(clock, reports_nothing, NAMES)))
    assert {part: ns for part, ns in profile.parts.items() if ns} == {
        TimePart.COMPUTE: 4 * 18_000,
        TimePart.CPU_KERNELS: 4 * 2_000,
    }
    assert profile.estimated_us is None
    assert [s.estimated_us for s in profile.subgraphs] == [None, None]


def test_rows_of_kernels_types_and_subgraphs() -> None:
    clock = FakeClock()
    profile = profile_of(profiled(clock, Working(clock, reports_all, NAMES, ESTIMATE), runs=3))
    assert [(s.name, s.kernels, s.count, s.total_ns, s.estimated_us) for s in profile.subgraphs] == [
        ("sub1", 1, 3, 3 * 3_525, 12.5),
        ("sub2", 2, 3, 3 * 3_525, 12.5),
    ]
    assert all(sum(s.parts.values()) == s.total_ns for s in profile.subgraphs)
    assert [(k.name, k.type, k.count, k.total_ns, k.subgraph) for k in profile.kernels] == [
        ("c0", "Custom", 3, 3_000, None),
        ("c1", "Custom", 3, 3_000, None),
    ]
    assert [(t.type, t.kernels, t.count, t.total_ns) for t in profile.types] == [("Custom", 2, 6, 6_000)]
    assert profile.estimated_us == 25.0


@pytest.mark.parametrize("tick", [1, 7])
@pytest.mark.parametrize("names", [None, NAMES, ("n1",), ()])
def test_all_parts_add_up_exactly_where_time_passes_everywhere(tick: int, names: tuple[str, ...] | None) -> None:
    clock = FakeClock(tick)
    profile = profile_of(profiled(clock, Working(clock, reports_all, names)))
    assert sum(profile.parts.values()) == profile.wall_ns
    assert sum(profile.host.values()) == profile.parts[TimePart.HOST]
    assert sum(k.total_ns for k in profile.kernels) == profile.parts[TimePart.CPU_KERNELS]
    assert all(sum(s.parts.values()) == s.total_ns for s in profile.subgraphs)
    assert profile.parts[TimePart.RECORDING] > 0
    assert profile.parts[TimePart.UNEXPLAINED] > 0


def test_what_recording_costs_is_stated() -> None:
    clock = FakeClock()
    calls: list[int] = []

    def slower_later(clock: FakeClock) -> None:
        calls.append(1)
        clock.work(1_000 if len(calls) <= 1 + 3 + 2 else 1_500)

    model = built(mixed(), clock, Working(clock, slower_later, ("n0",)), cpu_ns=0)
    report = benchmark(model, X, BenchmarkOptions(limits=RunLimits(2, None), profile=True), clock=clock).report
    profile = profile_of(report)
    assert profile.plain_p50_ms == report.latency.p50 == 0.001
    assert profile.latency.p50 == 0.0015
    assert profile.overhead == pytest.approx(0.5)


def test_seconds_limit_the_profiled_runs_too() -> None:
    clock = FakeClock()
    model = built(mixed(), clock, None, cpu_ns=100_000_000)
    report = benchmark(model, X, BenchmarkOptions(limits=RunLimits(None, 1.0), profile=True), clock=clock).report
    assert report.latency.runs == profile_of(report).latency.runs == 5


def test_data_is_ready_for_json_and_adds_up() -> None:
    clock = FakeClock(tick=3)
    report = profiled(clock, Working(clock, reports_all, NAMES, ESTIMATE))
    data = json.loads(report.to_json())
    assert data == report.to_dict()
    profile = data["profile"]
    assert [row["part"] for row in profile["parts"]] == [
        "pack",
        "enqueue",
        "compute",
        "unpack",
        "cpu_kernels",
        "host_overhead",
        "recording",
        "unexplained",
    ]
    assert sum(row["total_ns"] for row in profile["parts"]) == profile["wall_ns"]
    assert sum(row["share"] for row in profile["parts"]) == pytest.approx(1, abs=1e-5)
    assert (
        profile["subgraphs"][1]["parts_ns"]["compute"]
        == sum(row["parts_ns"]["compute"] for row in profile["subgraphs"]) / 2
    )
    assert (data["kernels_total"], data["kernels_delegated"], data["subgraphs"], data["delegate"]) == (
        5,
        3,
        2,
        "working",
    )
    assert {"model", "threads", "build_ms", "first_run_ms", "warmup", "runs", "latency_ms"} <= set(data)
    assert {"throughput_per_second", "peak_resident_bytes", "notes", "environment"} <= set(data)


def test_options_that_mean_nothing_are_rejected() -> None:
    with pytest.raises(InputError, match="at least 0, got -1"):
        BenchmarkOptions(warmup=-1)


def test_a_device_that_fails_ends_the_benchmark_with_its_error() -> None:
    clock = FakeClock()

    def fail(clock: FakeClock) -> None:
        raise DelegateExecuteError("the board is gone")

    model = built(mixed(), clock, Working(clock, fail, ("n0",)))
    with pytest.raises(DelegateExecuteError, match="the board is gone"):
        benchmark(model, X, clock=clock)


def test_inputs_are_those_of_every_run() -> None:
    clock = FakeClock()
    model = built(mixed(), clock, None)
    with pytest.raises(InputError, match="There is no input"):
        benchmark(model, {"y": np.zeros(1, np.float32)}, clock=clock)


def test_delegates_with_estimates_come_with_a_note_on_what_is_measured() -> None:
    clock = FakeClock()
    with_estimate = profiled(clock, Working(clock, reports_all, NAMES, ESTIMATE))
    assert any("says nothing about the device" in note for note in with_estimate.notes)
    assert profiled(clock, Working(clock, reports_all, NAMES)).notes == ()


LAYER = LayerEstimate("l", "Add", ("n0",), 1.0)


@pytest.mark.parametrize(
    "estimate",
    [
        replace(ESTIMATE, estimated_us=math.nan),
        replace(ESTIMATE, estimated_us=math.inf),
        replace(ESTIMATE, estimated_us=-1.0),
        replace(ESTIMATE, layers=(replace(LAYER, estimated_us=math.inf),)),
        replace(ESTIMATE, layers=(replace(LAYER, estimated_start_us=math.nan),)),
        replace(ESTIMATE, layers=(replace(LAYER, estimated_cycles=-1),)),
    ],
    ids=["nan", "inf", "negative", "layer", "start", "cycles"],
)
def test_estimates_that_are_no_times_are_left_out(estimate: DeviceEstimate) -> None:
    clock = FakeClock()
    model = built(mixed(), clock, Working(clock, reports_all, NAMES, estimate))
    found = benchmark(model, X, BenchmarkOptions(limits=RunLimits(2, None), profile=True), clock=clock)
    assert profile_of(found.report).estimated_us is None
    assert json.loads(found.report.to_json())["profile"]["estimated_us"] is None
    assert {event["pid"] for event in json.loads(trace_json(found.traced, model))["traceEvents"]} == {1}


def test_a_delegate_that_cannot_estimate_is_measured_like_others() -> None:
    class Unknown(Worker):
        def estimate(self) -> DeviceEstimate:
            raise ValueError("no estimate today")

    class Raising(Working):
        def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
            return Unknown("sub", model.boundary_of(run), run, self)

    clock = FakeClock()
    assert profile_of(profiled(clock, Raising(clock, reports_all, NAMES))).estimated_us is None
