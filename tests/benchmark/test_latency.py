from __future__ import annotations

import statistics
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate import InputError
from lite_delegate.benchmark import Latency, RunLimits
from lite_delegate.benchmark.latency import timed, timed_runs
from tests.benchmark.fakes import FakeClock


@given(st.lists(st.integers(0, 10**12), min_size=2, max_size=60))
def test_figures_are_those_of_the_standard_library(nanoseconds: list[int]) -> None:
    found = Latency.of(nanoseconds)
    ms = [ns / 1e6 for ns in nanoseconds]
    hundredths = statistics.quantiles(ms, n=100, method="inclusive")
    near = partial(pytest.approx, rel=1e-9, abs=1e-9)
    assert (found.runs, found.min, found.max) == (len(ms), min(ms), max(ms))
    assert found.p50 == near(statistics.median(ms))
    for percent in (90, 95, 99):
        assert getattr(found, f"p{percent}") == near(hundredths[percent - 1])
    assert found.mean == near(statistics.fmean(ms))
    assert found.stdev == pytest.approx(statistics.stdev(ms), rel=1e-6, abs=1e-6)


def test_one_run_has_no_deviation() -> None:
    found = Latency.of([2_000_000])
    assert found.stdev is None
    assert {found.min, found.p50, found.p99, found.max, found.mean} == {2.0}


def test_throughput_is_that_of_one_prediction_after_the_other() -> None:
    assert Latency.of([1_000_000, 3_000_000]).throughput == 500.0
    assert Latency.of([0, 0]).throughput == 0.0


def test_only_the_call_is_timed() -> None:
    clock = FakeClock()

    class Result:
        def __del__(self) -> None:
            clock.work(1_000)

    def call() -> Result:
        clock.work(7)
        return Result()

    assert timed(call, clock) == 7
    assert clock.now == 1_000 + 7 + 1_000


@pytest.mark.parametrize(
    ("runs", "seconds", "expected"),
    [(5, None, 5), (None, 1.0, 4), (None, 0.9, 3), (2, 1.0, 2), (9, 1.0, 4), (1, 1e-12, 1), (None, 1e-12, 1)],
)
def test_either_limit_ends_it_and_one_run_is_always_made(
    runs: int | None, seconds: float | None, expected: int
) -> None:
    clock = FakeClock()
    assert timed_runs(lambda: clock.work(300_000_000), RunLimits(runs, seconds), clock) == [300_000_000] * expected


@pytest.mark.parametrize(
    ("runs", "seconds", "message"),
    [
        (None, None, "got neither"),
        (0, None, "at least 1, got 0"),
        (-3, 1.0, "at least 1, got -3"),
        (1, 0.0, "above 0 and finite, got 0.0"),
        (1, float("nan"), "above 0 and finite, got nan"),
        (1, float("inf"), "above 0 and finite, got inf"),
    ],
)
def test_limits_that_mean_nothing_are_rejected(runs: int | None, seconds: float | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        RunLimits(runs, seconds)
