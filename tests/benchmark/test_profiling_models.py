"""Profiles of real runs: control flow, devices that fail, parallel predictions, resizing, the simulated NPU."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from threading import Barrier, Thread

import numpy as np
import pytest

from lite_delegate import Context, DelegateExecuteError, DelegateWarning, Model
from lite_delegate.benchmark import BenchmarkOptions, RunLimits, TimePart, TimeProfile, benchmark
from lite_delegate.benchmark.breakdown import break_down
from lite_delegate.benchmark.recorder import ROOT, Span, recorded
from lite_delegate.delegate import SpanKind
from lite_delegate.demo import model_path
from lite_delegate.ir import Node, Value
from lite_delegate.npu import NPUDelegate
from lite_delegate.testing.delegates import NamedDelegate
from tests.benchmark.fakes import FakeClock
from tests.benchmark.models import Working, X, built, mixed, reports_all
from tests.runtime.control_graphs import add, multiply, out, while_loop
from tests.runtime.control_graphs import built as built_with_subgraphs
from tests.runtime.graphs import chain

OPTIONS = BenchmarkOptions(warmup=1, limits=RunLimits(3, None), profile=True)


def check_nesting(spans: Sequence[Span]) -> None:
    """The first span holds all others; spans lie inside their parents and, of one parent, behind each other."""
    assert [i for i, span in enumerate(spans) if span.parent == ROOT] == [0]
    free: dict[int, int] = {}
    for i, span in enumerate(spans):
        assert span.start <= span.end
        if span.parent != ROOT:
            around = spans[span.parent]
            assert span.parent < i
            assert max(around.start, free.get(span.parent, around.start)) <= span.start
            assert span.end <= around.end
            free[span.parent] = span.end


def profile_of(model: Model, inputs: dict[str, np.ndarray]) -> TimeProfile:
    profile = benchmark(model, inputs, OPTIONS).report.profile
    assert profile is not None
    assert sum(profile.parts.values()) == profile.wall_ns
    return profile


def loop(delegate: NamedDelegate | None) -> Model:
    """x = 2 * (x + 1), n times."""

    def step(i: Value, x: Value) -> list[Node]:
        first = add("plus", x, 1)
        return [first, multiply("times", out(first), 2)]

    return built_with_subgraphs(while_loop(step), delegate)


@pytest.mark.parametrize("rounds", [0, 1, 5])
def test_bodies_of_loops_count_as_often_as_they_run(rounds: int) -> None:
    inputs = {"n": np.array(rounds, np.int32), "x": np.zeros(4, np.float32)}
    profile = profile_of(loop(None), inputs)
    counts = {k.name: k.count for k in profile.kernels}
    assert counts.get("plus", 0) == counts.get("times", 0) == 3 * rounds
    assert counts["less"] == 3 * (rounds + 1)
    assert {k.name: k.graph for k in profile.kernels}["less"] == "condition"


def test_graph_kernels_in_loops_count_as_often_as_they_run() -> None:
    inputs = {"n": np.array(5, np.int32), "x": np.zeros(4, np.float32)}
    profile = profile_of(loop(NamedDelegate(["plus", "times"])), inputs)
    (subgraph,) = profile.subgraphs
    assert (subgraph.kernels, subgraph.count) == (2, 3 * 5)
    assert "plus" not in {k.name for k in profile.kernels}
    spans = recorded(lambda: loop(None).predict(inputs)).spans()
    check_nesting(spans)


def test_cpu_kernels_that_stand_in_for_a_device_are_named() -> None:
    clock = FakeClock()

    def fail(clock: FakeClock) -> None:
        clock.work(50)
        raise DelegateExecuteError("busy")

    context = Context()
    context.set_delegate(Working(clock, fail, ("n1", "n2")))
    context.on_delegate_error = "fallback"
    model = Model()
    model.build_from_graph(chain(3), context)
    with pytest.warns(DelegateWarning, match="busy"):
        report = benchmark(model, X, OPTIONS, clock=clock).report
    profile = report.profile
    assert profile is not None
    assert {k.name: (k.subgraph, k.count) for k in profile.kernels} == {
        "n0": (None, 3),
        "n1": ("sub1", 3),
        "n2": ("sub1", 3),
    }
    assert profile.parts[TimePart.COMPUTE] == 3 * 50
    assert any("failed on the device" in note for note in report.notes)


def test_parallel_predictions_do_not_mix() -> None:
    model = built(mixed(), FakeClock(), Working(FakeClock(), reports_all, ("n0", "n1", "n2")))
    barrier, found = Barrier(3), []

    def work() -> None:
        barrier.wait()
        for _ in range(20):
            found.append(recorded(lambda: model.predict(X)).spans())

    threads = [Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 60
    for spans in found:
        check_nesting(spans)
        assert Counter(s.kind for s in spans) == Counter(s.kind for s in found[0])
        assert sum(break_down(spans).parts.values()) == spans[0].duration


def test_after_a_resize_the_new_plan_is_profiled() -> None:
    clock = FakeClock()
    model = Model()
    context = Context()
    context.set_delegate(Working(clock, reports_all, ("n1",)))
    model.build_from_graph(chain(3), context)
    model.resize(model.get_inputs(), [[4, 5]])
    report = benchmark(model, {"x": np.zeros((4, 5), np.float32)}, OPTIONS, clock=clock).report
    assert report.profile is not None
    assert [s.count for s in report.profile.subgraphs] == [3]
    assert sum(report.profile.parts.values()) == report.profile.wall_ns


def test_the_npu_reports_every_activity_and_the_digits_add_up() -> None:
    context = Context()
    context.set_delegate(NPUDelegate("kirin"))
    context.rewrite = False  # so that the CPU has a part
    model = Model()
    model.build_from_file(model_path(), context=context)
    (tensor,) = model.get_inputs()
    x = {tensor.name: np.zeros([max(1, d) for d in tensor.shape], np.float32)}
    model.resize([tensor], [list(x[tensor.name].shape)])
    found = benchmark(model, x, OPTIONS)
    for spans in found.traced:
        check_nesting(spans)
    profile = found.report.profile
    assert profile is not None
    assert sum(profile.parts.values()) == profile.wall_ns
    assert all(profile.parts[part] > 0 for part in TimePart)
    for subgraph in profile.subgraphs:
        inside = (TimePart.PACK, TimePart.ENQUEUE, TimePart.COMPUTE, TimePart.UNPACK)
        assert all(subgraph.parts[part] > 0 for part in inside)
        assert subgraph.estimated_us is not None
    calls = Counter(s.kind for s in found.traced[0])
    assert calls[SpanKind.GRAPH_KERNEL] == len(profile.subgraphs) == len(model.get_graph_kernels())
    delegated = {n.name for n in model.get_partition().nodes if n.subgraph is not None}
    assert {k.name for k in profile.kernels} == {n.name for n in model.get_partition().nodes} - delegated


def test_every_layer_of_the_npu_lies_inside_its_estimate() -> None:
    context = Context()
    context.set_delegate(NPUDelegate("kirin"))
    model = Model()
    model.build_from_file(model_path(), context=context)
    for kernel in model.get_graph_kernels():
        estimate = kernel.estimate()
        assert estimate is not None
        starts = [layer.estimated_start_us for layer in estimate.layers]
        ends = [s + layer.estimated_us for s, layer in zip(starts, estimate.layers, strict=True) if s is not None]
        assert len(ends) == len(starts)
        assert min(s for s in starts if s is not None) > 0
        assert max(ends) == pytest.approx(estimate.estimated_us)
