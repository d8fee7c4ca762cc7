"""Several requests in flight: figures by hand, and runs that really overlap."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from lite_delegate_kernels import Array

from lite_delegate import Core, DelegateBuildError, DelegateExecuteError, RequestErrors
from lite_delegate.benchmark import AUTO, InFlight, Latency, RequestsFound, RunLimits
from lite_delegate.benchmark.in_flight import in_flight, measure_requests
from lite_delegate.benchmark.reports.text import benchmark_text
from lite_delegate.inference.running.plan_runner import PlanRunner
from tests.benchmark.test_text import small
from tests.commands import invoke
from tests.runtime.graphs import chain

X = {"x": np.ones((2, 3), np.float32)}
MS = 1_000_000


def figures(requests: int, runs: int, wall_ms: int, estimated_us: float | None = None) -> InFlight:
    return InFlight(requests, wall_ms * MS, Latency.of([2 * MS] * runs), estimated_us)


def test_throughput_is_runs_over_the_time_of_all() -> None:
    found = figures(2, 50, 100, 5_000.0)
    assert (found.throughput, found.estimated_throughput) == (500.0, 10_000.0)
    assert figures(2, 50, 0).throughput == 0.0
    assert figures(2, 50, 100).estimated_throughput is None
    assert found.to_dict()["latency_ms"]["p50"] == 2.0


def test_the_fewest_within_five_percent_of_the_most_are_chosen() -> None:
    tried = (figures(1, 50, 100), figures(2, 95, 100), figures(3, 96, 100), figures(4, 100, 100), figures(6, 90, 100))
    found = RequestsFound(4, tried)
    assert (found.chosen.requests, found.best.requests) == (2, 4)
    assert RequestsFound(4, tried[:1] + tried[2:]).chosen.requests == 3
    data = found.to_dict()
    assert (data["optimal"], data["requests"], len(data["tried"])) == (4, 2, 5)


def test_the_runs_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, run = Core().compile_model(chain(2), "CPU", {"NUM_STREAMS": 3}), PlanRunner.run
    count, together = iter(range(100)), threading.Barrier(3)

    def meeting(self: PlanRunner, arrays: Sequence[Array], state: list[Array] | None = None) -> list[Array]:
        if next(count) >= 3:  # behind the first run of each request, which does not count
            together.wait(timeout=60)
        return run(self, arrays, state)

    monkeypatch.setattr(PlanRunner, "run", meeting)
    assert in_flight(compiled, X, 3, RunLimits(12, None)).latency.runs == 12


def test_as_many_runs_are_made_as_are_asked_for() -> None:
    compiled = Core().compile_model(chain(2), "CPU", {"NUM_STREAMS": 2})
    found = in_flight(compiled, X, 2, RunLimits(20, None))
    assert (found.requests, found.latency.runs, found.estimated_us) == (2, 20, None)
    assert 0 < found.latency.max * MS <= found.wall_ns
    assert in_flight(compiled, X, 3, RunLimits(1, None)).latency.runs == 1


def test_the_simulated_device_has_a_throughput_of_its_own() -> None:
    compiled = Core().compile_model(chain(2), "NPU", {"PERFORMANCE_HINT": "THROUGHPUT"})
    one, four = (in_flight(compiled, X, number, RunLimits(24, None)).estimated_throughput for number in (1, 4))
    assert one is not None
    assert four is not None
    assert 0 < one <= four * (1 + 1e-9)  # sums of times, rounded


def test_the_numbers_that_are_tried() -> None:
    compiled = Core().compile_model(chain(2), "CPU")
    found = measure_requests(compiled, X, AUTO, RunLimits(2, None))
    most = max(2 * compiled.optimal_requests, 4)
    assert [each.requests for each in found.tried] == [n for n in (1, 2, 3, 4, 6, 8, 12, 16) if n <= most]
    assert found.optimal == compiled.optimal_requests
    (only,) = measure_requests(compiled, X, 5, RunLimits(2, None)).tried
    assert only.requests == 5


def test_more_than_a_device_has_memory_for_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = Core().compile_model(chain(2), "CPU")
    make, made = compiled.create_infer_request, [0]

    def create() -> object:
        made[0] += 1
        if made[0] > 4:  # one for the first number, two for the second
            raise DelegateBuildError("no room")
        return make()

    monkeypatch.setattr(compiled, "create_infer_request", create)
    assert [each.requests for each in measure_requests(compiled, X, AUTO, RunLimits(2, None)).tried] == [1, 2]
    with pytest.raises(DelegateBuildError):
        measure_requests(compiled, X, AUTO, RunLimits(2, None))


def test_a_run_that_fails_ends_the_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, run, runs = Core().compile_model(chain(2), "CPU"), PlanRunner.run, [0]

    def failing(self: PlanRunner, arrays: Sequence[Array], state: list[Array] | None = None) -> list[Array]:
        runs[0] += 1
        if runs[0] > 5:
            raise DelegateExecuteError("no power")
        return run(self, arrays, state)

    monkeypatch.setattr(PlanRunner, "run", failing)
    with pytest.raises(RequestErrors, match="no power"):
        in_flight(compiled, X, 2, RunLimits(None, 60))


def test_the_report_for_people() -> None:
    found = RequestsFound(2, (figures(1, 50, 100), figures(2, 100, 100, 2_000.0)))
    text = " ".join(benchmark_text(replace(small(), requests=found)).split())
    assert "in flight 2 requests: 1,000.00 inferences per second, 2.000 ms median" in text
    assert "50,000.00 per second on the simulated device (an estimate, not measured)" in text
    assert "the compiled model names 2 requests" in text


@pytest.mark.parametrize("text", ["0", "-1", "many", "1.5", "٣"])
def test_what_is_no_number_of_requests(text: str) -> None:
    done = invoke("benchmark", "model.ms", "--requests", text)
    assert done.exit_code == 2
    assert done.stderr == f"lite-delegate: --requests must be a number of at least 1, or auto, got '{text}'.\n"
