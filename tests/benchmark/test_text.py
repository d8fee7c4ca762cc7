from __future__ import annotations

import pytest

from lite_delegate.benchmark import (
    BenchmarkOptions,
    BenchmarkReport,
    Latency,
    RunLimits,
    TimePart,
    TimeProfile,
    benchmark,
)
from lite_delegate.benchmark.times import KernelTime, SubgraphTime
from lite_delegate.reporting.terminal import Page, laid_out_for
from tests.benchmark.fakes import FakeClock
from tests.benchmark.models import ESTIMATE, Working, X, built, mixed, reports_all

OPTIONS = BenchmarkOptions(limits=RunLimits(2, None), profile=True)


def small() -> BenchmarkReport:
    clock = FakeClock()
    model = built(mixed(), clock, Working(clock, reports_all, ("n0", "n1", "n2"), ESTIMATE))
    return benchmark(model, X, OPTIONS, clock=clock).report


def large() -> BenchmarkReport:
    """Long names and large numbers everywhere."""
    latency = Latency.of([123_456_789_012, 987_654_321_098])
    name = "a_very_long_name|with_bars/" * 6
    parts = dict.fromkeys(TimePart, 12_345_678_901_234)
    kernels = tuple(
        KernelTime(f"{name}{i}", f"LongOperator{'X' * 40}{i}", "", "sub" * 9, 98_765, 10**15) for i in range(30)
    )
    inside: dict[TimePart, int] = {p: 10**14 for p in TimePart if p not in (TimePart.CPU_KERNELS, TimePart.HOST)}
    subgraphs = (SubgraphTime(name, "NPUGraph", "", 12_345, 98_765, 6 * 10**14, inside, 123_456_789.5),)
    profile = TimeProfile(latency, 1.0, sum(parts.values()), parts, {"dispatch": 10**14}, 0.123, subgraphs, kernels)
    return BenchmarkReport(
        name, "npu", 99_999, 88_888, 777, 64, 1e7, 1e7, 1000, latency, notes=(name * 3,), profile=profile
    )


@pytest.mark.parametrize("make", [small, large], ids=["small", "large"])
def test_text_fits_a_terminal(make: object) -> None:
    assert callable(make)
    lines = make().to_text().splitlines()
    assert max(map(len, lines)) <= 100


def test_text_says_what_was_measured_what_was_not_and_what_nobody_explains() -> None:
    text = small().to_text()
    rows = {line.split("  ")[0].strip(): line.split() for line in text.splitlines() if line.strip()}
    assert rows["compute"][-2:] == ["0.006", "66.30%"]
    assert rows["unexplained"][-2:] == ["0.000", "0.11%"]
    assert rows["wall time"][-2:] == ["0.009", "100.00%"]
    assert "unexplained 0.11% of the wall time; median of the runs 0.11%" in text
    assert "estimated   25.0 us per prediction on the delegate's device (an estimate, not measured)" in text
    assert "estimated by the delegate, not measured" in text
    assert "Latency, measured on this host" in text


def test_unexplained_is_printed_when_it_is_nothing() -> None:
    clock = FakeClock()
    text = benchmark(built(mixed(), clock), X, OPTIONS, clock=clock).report.to_text()
    assert "unexplained 0.00% of the wall time" in text
    assert [line for line in text.splitlines() if line.startswith("unexplained ")][-1].split()[1:] == ["0.000", "0.00%"]


def test_without_a_profile_there_is_latency_only() -> None:
    clock = FakeClock()
    options = BenchmarkOptions(limits=RunLimits(2, None))
    text = benchmark(built(mixed(), clock), X, options, clock=clock).report.to_text()
    assert "p99" in text
    assert "unexplained" not in text
    assert "recorded" not in text


def test_kernels_beyond_the_slowest_are_summed_up() -> None:
    text = large().to_text()
    assert "10 more, " in text
    assert "--full shows them all" in text
    with laid_out_for(Page(full=True)):
        assert "10 more, " not in large().to_text()
    assert "in place of" in text


def test_markdown_has_the_same_tables_and_escapes_names() -> None:
    markdown = large().to_markdown()
    assert markdown.startswith("# Benchmark of ")
    tables = [line for line in markdown.splitlines() if line.startswith("|")]
    assert "a\\_very\\_long\\_name\\|with" in markdown
    assert all(line.replace("\\|", "").endswith("|") for line in tables)
    for title in (
        "Latency",
        "Where the time",
        "Host overhead",
        "Subgraphs",
        "Parts of",
        "CPU kernels by",
        "CPU kernels",
    ):
        assert f"\n## {title}" in markdown
    assert "in memory" in small().to_markdown().splitlines()[0]
