"""Plots: the numbers that are drawn, not the pixels."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite_delegate as ld
from lite_delegate.benchmark import BenchmarkOptions, RunLimits, benchmark
from lite_delegate.compare import CompareOptions, ComparisonReport, compare
from lite_delegate.delegate import DeviceEstimate, Kernel, LayerEstimate
from lite_delegate.errors import InputError
from lite_delegate.npu import NPUDelegate
from lite_delegate.plots import plot_coverage, plot_errors, plot_kernel_times, plot_memory
from lite_delegate.report import partition_report
from lite_delegate.testing import GroupKernel, NamedDelegate

matplotlib = pytest.importorskip("matplotlib")
DIGITS = Path(ld.__file__).parent / "demo" / "digits.ms"
IMAGE = {"image": np.full((1, 8, 8, 1), 0.5, np.float32)}


@pytest.fixture(autouse=True)
def pyplot() -> Iterator[Any]:
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


@pytest.fixture(scope="module")
def model() -> ld.Model:
    context = ld.Context()
    context.set_delegate(NPUDelegate())
    context.partition = ld.PartitionOptions(deny_types={"LayerNormFusion"})
    context.on_delegate_error = "fallback"
    made = ld.Model()
    made.build_from_file(str(DIGITS), context=context)
    return made


@pytest.fixture(scope="module")
def comparison(model: ld.Model) -> ComparisonReport:
    return compare(model, IMAGE, CompareOptions(kernels=True))


def line_of(ax: Any) -> Any:
    (line,) = ax.get_lines()
    return line


def labels(axis: Any) -> list[str]:
    return [each.get_text() for each in axis.get_ticklabels()]


def test_kernel_times(model: ld.Model) -> None:
    profile = benchmark(model, IMAGE, BenchmarkOptions(warmup=0, limits=RunLimits(runs=2), profile=True)).report.profile
    assert profile is not None
    ax: Any = plot_kernel_times(profile)
    rows = profile.to_dict()
    times = {each["name"]: each["total_ns"] / 2 / 1e6 for each in (*rows["kernels"], *rows["subgraphs"])}
    ordered = sorted(times, key=lambda name: -times[name])
    assert labels(ax.yaxis) == ordered
    drawn = {round(bar.get_y() + bar.get_height() / 2): bar.get_width() for of in ax.containers for bar in of}
    assert [drawn[i] for i in range(len(ordered))] == pytest.approx([times[name] for name in ordered])
    assert [each.get_text() for each in ax.get_legend().get_texts()] == ["CPU kernel", "subgraph"]
    assert labels(plot_kernel_times(profile, most=1).yaxis) == ordered[:1]


class WithMemory(GroupKernel):
    def estimate(self) -> DeviceEstimate:
        first = LayerEstimate("a", "Do", (), 2.0, memory_bytes=1024)
        return DeviceEstimate(6.0, layers=(first, LayerEstimate("b", "Do", (), 3.0, memory_bytes=3072)))


class WithMemoryDelegate(NamedDelegate):
    def create_graph_kernel(self, run: Sequence[Kernel], model: ld.DelegateModel) -> Kernel:
        return WithMemory("g", model.boundary_of(run), run)


def test_memory() -> None:
    context = ld.Context()
    context.set_delegate(WithMemoryDelegate())
    model = ld.Model()
    model.build_from_file(str(DIGITS), context=context)
    line = line_of(plot_memory(model.compiled))
    assert [tuple(each) for each in line.get_xydata()] == [(0, 0), (0, 1), (2, 3), (6, 0)]


def test_memory_that_nobody_estimates() -> None:
    compiled = ld.Core().compile_model(DIGITS, "CPU")
    with pytest.raises(InputError, match="no delegate estimates the memory of its layers"):
        plot_memory(compiled)


def test_errors(comparison: ComparisonReport) -> None:
    tensors = [tensor for each in comparison.subgraphs for part in each.parts for tensor in part.tensors]
    ax: Any = plot_errors(comparison, metric="max_abs")
    line = line_of(ax)
    assert list(line.get_ydata()) == [tensor.own.max_abs for tensor in tensors if tensor.own]
    assert labels(ax.xaxis) == [tensor.name for tensor in tensors]
    whole = replace(comparison, subgraphs=tuple(replace(each, parts=()) for each in comparison.subgraphs))
    line = line_of(plot_errors(whole))
    assert len(line.get_ydata()) == sum(len(each.tensors) for each in comparison.subgraphs)
    with pytest.raises(InputError, match="plot_errors draws snr_db, max_abs, max_rel, max_ulp, cosine, got 'x'"):
        plot_errors(comparison, metric="x")


def test_coverage(model: ld.Model) -> None:
    ax: Any = plot_coverage(partition_report(model))
    assert labels(ax.yaxis) == ["npu", "CPU"]
    assert [bar.get_width() for bar in ax.patches] == [10, 1]


def test_given_axes_are_drawn_on(model: ld.Model, comparison: ComparisonReport, pyplot: Any) -> None:
    ax = pyplot.subplots()[1]
    assert plot_coverage(partition_report(model), ax=ax) is ax
    assert plot_errors(comparison, ax=ax) is ax
    assert len(pyplot.get_fignums()) == 1


def test_names_are_drawn_as_they_are(model: ld.Model, pyplot: Any) -> None:
    report = partition_report(model)
    ax: Any = plot_coverage(replace(report, nodes=tuple(replace(n, device=r"$\frac{$ <b>" * 9) for n in report.nodes)))
    ax.figure.canvas.draw()


def test_without_matplotlib_the_error_has_the_line_to_install_it(
    model: ld.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = partition_report(model)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match="pip install 'lite-delegate\\[plot\\]'"):
        plot_coverage(report)
