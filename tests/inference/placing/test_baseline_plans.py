"""Plans with one thread beside the usual ones: for which there are some, which stays, and that a kept plan keeps it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from lite_delegate import (
    CacheOptions,
    CacheStatus,
    Context,
    DelegateBuildError,
    DelegateModel,
    Kernel,
    Model,
    PartitionOptions,
)
from lite_delegate.delegate import current_wishes
from lite_delegate.formats.ms import write_ms
from lite_delegate.inference.placing.choice import PlanChoice
from lite_delegate.inference.placing.measurement import Joining, TurnTime
from lite_delegate.ir import Graph
from lite_delegate.report import partition_report
from lite_delegate.runtime.records import AlternativeRecord
from lite_delegate.tensors.tensor import Tensor
from tests.inference.placing.test_fastest_plan import Clock, Imported, Timed, TimedDelegate, chosen, network
from tests.passes.random_graphs import Builder


class Following(TimedDelegate):
    """Takes as long as it is told for each number of threads, 0 for the usual one; notes what it was made with."""

    def __init__(self, name: str, us: Mapping[int, int], clock: Clock, *types: str) -> None:
        super().__init__(name, us[0], clock, *types)
        self._us = us
        self.made: list[int] = []

    def follows_threads(self) -> bool:
        return True

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        self.made.append(model.threads)
        return Timed(run, model, TimedDelegate(self.name, self._us[model.threads], self.clock))


@pytest.fixture(autouse=True)
def _several_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lite_delegate.inference.placing.baseline_plans.usable_processors", lambda: 4)


def strict(context: Context) -> None:
    """No plan of the host, which takes no time on these clocks."""
    context.strict = True


def measured(rows: Sequence[AlternativeRecord]) -> dict[str, float]:
    return {row.plan: row.measured_us for row in rows if row.measured_us is not None}


@pytest.mark.parametrize(
    ("usual_us", "single_us", "stays"),
    [
        (100, 70, "a on 1 thread"),
        (100, 140, "a"),
        (500, 400, "a on 1 thread"),
        (100, 100, "a"),  # alike: the usual number
        (102, 100, "a"),  # no more than the noise
        (103, 100, "a on 1 thread"),
    ],
)
def test_a_short_plan_is_measured_with_one_thread_too(usual_us: int, single_us: int, stays: str) -> None:
    clock = Clock(host_us=0)
    a = Following("a", {0: usual_us, 1: single_us}, clock)
    parts, rows = chosen([a], clock, strict)
    assert a.made == [0, 1]
    assert measured(rows) == {"a": usual_us, "a on 1 thread": single_us}
    assert [row.plan for row in rows if row.chosen] == [stays]
    threads = 1 if stays == "a on 1 thread" else 0
    assert (parts.scheduled.plan.record.threads, parts.scheduled.settings.run_threads) == (threads, threads)


@pytest.mark.parametrize("usual_us", [501, 5_000])
def test_a_long_plan_is_not(usual_us: int) -> None:
    clock = Clock(host_us=0)
    a = Following("a", {0: usual_us, 1: 10}, clock)
    _, rows = chosen([a], clock, strict)
    assert (a.made, list(measured(rows))) == ([0], ["a"])


@pytest.mark.parametrize(("slow_us", "has_one"), [(250, True), (251, False)])
def test_a_plan_far_behind_the_quickest_is_not(slow_us: int, *, has_one: bool) -> None:
    clock = Clock(host_us=0)
    quick, slow = Following("quick", {0: 100, 1: 100}, clock), Following("slow", {0: slow_us, 1: 90}, clock)
    _, rows = chosen([quick, slow], clock, strict)
    assert slow.made == ([0, 1] if has_one else [0])
    assert [row.plan for row in rows if row.chosen] == ["slow on 1 thread" if has_one else "quick"]


def two_threads(context: Context) -> None:
    context.cpu.thread_num = 2


def one_of_a_stream(context: Context) -> None:
    context.set_property({"THREADS_PER_STREAM": 2})


def by_name(context: Context) -> None:
    context.set_property({"INFERENCE_NUM_THREADS": 2})


def on_big_cores(context: Context) -> None:
    context.cpu.thread_affinity_mode = 1


def on_two_cores(context: Context) -> None:
    context.cpu.thread_affinity_core_list = [0, 1]


@pytest.mark.parametrize("say", [two_threads, one_of_a_stream, by_name, on_big_cores, on_two_cores])
def test_the_users_number_of_threads_always_counts(say: Callable[[Context], None]) -> None:
    def change(context: Context) -> None:
        strict(context)
        say(context)

    clock = Clock(host_us=0)
    a = Following("a", {0: 100, 1: 10, 2: 100}, clock)
    parts, rows = chosen([a], clock, change)
    assert (len(a.made), a.made[0] != 1, list(measured(rows))) == (1, True, ["a"])
    assert parts.scheduled.plan.record.threads == 0


def test_where_there_is_one_processor_the_usual_number_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lite_delegate.inference.placing.baseline_plans.usable_processors", lambda: 1)
    clock = Clock(host_us=0)
    a = Following("a", {0: 100, 1: 10}, clock)
    chosen([a], clock, strict)
    assert a.made == [0]


def test_a_delegate_that_does_not_follow_gets_no_other_plan() -> None:
    clock = Clock(host_us=0)
    deaf, a = TimedDelegate("deaf", 100, clock), Following("a", {0: 110, 1: 120}, clock)
    _, rows = chosen([deaf, a], clock, strict)
    assert list(measured(rows)) == ["deaf", "a", "a on 1 thread"]


def test_a_plan_with_nodes_left_to_the_host_says_so() -> None:
    clock = Clock(host_us=1)
    _, rows = chosen([Following("a", {0: 100, 1: 70}, clock, "Activation")], clock)
    assert list(measured(rows)) == ["a, CPU", "CPU", "a, CPU on 1 thread"]


def test_without_time_there_is_none_and_it_is_said() -> None:
    def no_time(context: Context) -> None:
        strict(context)
        context.partition = PartitionOptions(placement="fastest", calibration_ms=0)

    clock = Clock(host_us=0)
    a = Following("a", {0: 100, 1: 10}, clock)
    _, rows = chosen([a], clock, no_time)
    assert a.made == [0]
    assert {row.plan: row.reason for row in rows}["a on 1 thread"] == "not looked for: of 0 s 0.0 are left"


def test_a_plan_that_cannot_be_made_has_the_reason() -> None:
    class OnSeveral(Following):
        def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
            if model.threads == 1:
                raise DelegateBuildError("not on one thread")
            return super().create_graph_kernel(run, model)

    clock = Clock(host_us=0)
    _, rows = chosen([OnSeveral("a", {0: 100, 1: 10}, clock)], clock, strict)
    assert [row.plan for row in rows if row.chosen] == ["a"]
    assert "not on one thread" in {row.plan: row.reason for row in rows}["a on 1 thread"]


class Kept(Following):
    """Its graph kernels can be kept; it notes the threads that those have which are made of what was kept."""

    def cache_key(self) -> dict[str, str]:
        return {"name": self.name}

    def export_kernel(self, kernel: Kernel) -> bytes:
        return b"relu and 1 more"

    def import_kernel(self, data: memoryview, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        self.made.append(current_wishes().threads)
        return Imported(self.name, "Imported", inputs, outputs)


def choose_the_last(
    calls: Sequence[object], limits: object, clock: object, joining: Joining = lambda taken: ()
) -> PlanChoice:
    """In place of measuring: all are short, and the last that joins is the quickest."""
    usual = [TurnTime(100, 1) for _ in calls]
    joined = joining(usual)
    return PlanChoice(len(usual) + len(joined) - 1, (*usual, *[TurnTime(50, 1) for _ in joined]))


def built(source: Path, delegate: Kept, threads: int = 0, cache: Path | None = None) -> Model:
    context = Context()
    context.set_delegate(delegate)
    context.partition = PartitionOptions(placement="fastest")
    context.strict = True
    context.cpu.thread_num = threads
    context.cache = None if cache is None else CacheOptions(cache)
    model = Model()
    model.build_from_file(source, context=context)
    return model


def test_the_cache_keeps_the_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lite_delegate.inference.placing.fastest_plan.chosen", choose_the_last)
    write_ms(network(), tmp_path / "model.ms")
    for status in (CacheStatus.MISS, CacheStatus.HIT):
        delegate = Kept("a", {0: 100, 1: 50}, Clock(host_us=0))
        model = built(tmp_path / "model.ms", delegate, cache=tmp_path / "kept")
        assert model.cache_outcome.status is status
        assert (delegate.made[-1], model.get_partition().threads) == (1, 1)
        assert model.compiled.settings.run_threads == 1
        monkeypatch.setattr(
            "lite_delegate.inference.placing.fastest_plan.chosen", None
        )  # from now on nothing is measured


def test_where_threads_are_pinned_nothing_that_was_kept_without_counts(tmp_path: Path) -> None:
    write_ms(network(), tmp_path / "model.ms")
    statuses = []
    for mode in (0, 0, 1):
        context = Context()
        context.set_delegate(Kept("a", {0: 100, 1: 50}, Clock(host_us=0)))
        context.partition = PartitionOptions(placement="fastest")
        context.cpu.thread_affinity_mode = mode
        context.cache = CacheOptions(tmp_path / "kept")
        model = Model()
        model.build_from_file(tmp_path / "model.ms", context=context)
        statuses.append(model.cache_outcome.status)
    assert statuses == [CacheStatus.MISS, CacheStatus.HIT, CacheStatus.MISS]


@pytest.mark.parametrize(("wanted", "threads", "recorded"), [(0, 1, 1), (3, 3, 0)])
def test_an_exported_model_keeps_them_unless_the_user_says_otherwise(
    wanted: int, threads: int, recorded: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lite_delegate.inference.placing.fastest_plan.chosen", choose_the_last)
    write_ms(network(), tmp_path / "model.ms")
    us = {0: 100, 1: 50, 3: 100}
    built(tmp_path / "model.ms", Kept("a", us, Clock(host_us=0))).export(tmp_path / "model.bin")
    delegate = Kept("a", us, Clock(host_us=0))
    model = built(tmp_path / "model.bin", delegate, threads=wanted)
    assert delegate.made == [threads]
    assert (model.get_partition().threads, model.compiled.settings.run_threads) == (recorded, threads)
    (y,) = model.predict([np.full((1, 2, 2, 4), -2, np.float32)])
    np.testing.assert_array_equal(y.get_data_to_numpy(), np.ones((1, 2, 2, 4), np.float32))


def placed(graph: Graph, delegate: Following) -> Model:
    """A model that is placed by what predictions take."""
    context = Context()
    context.set_delegate(delegate)
    context.partition = PartitionOptions(placement="fastest")
    context.strict = True
    model = Model()
    model.build_from_graph(graph, context)
    return model


def open_network() -> Graph:
    b = Builder()
    x = b.input("x", (-1, 4))
    return b.graph(b.node("AddFusion", b.node("Activation", x, activation_type="RELU"), b.const(1.0)))


def test_plans_for_other_shapes_keep_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lite_delegate.inference.placing.fastest_plan.chosen", choose_the_last)
    delegate = Following("a", {0: 100, 1: 50}, Clock(host_us=0))
    model = placed(open_network(), delegate)
    assert delegate.made == [0, 1]
    model.predict([np.ones((7, 4), np.float32)])
    assert set(delegate.made[2:]) <= {1}
    assert model.get_partition().threads == 1


def test_runs_in_the_background_have_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lite_delegate.inference.placing.fastest_plan.chosen", choose_the_last)
    shares: list[int] = []

    @contextmanager
    def noted(share: int) -> Iterator[None]:
        shares.append(share)
        yield

    monkeypatch.setattr("lite_delegate.inference.executor.executor.divided_threads", noted)
    model = placed(network(), Following("a", {0: 100, 1: 50}, Clock(host_us=0)))
    request = model.compiled.create_infer_request()
    request.start_async([np.ones((1, 2, 2, 4), np.float32)])
    request.wait()
    assert shares == [1]


def test_reports_name_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lite_delegate.inference.placing.fastest_plan.chosen", choose_the_last)
    model = placed(network(), Following("a", {0: 100, 1: 50}, Clock(host_us=0)))
    report = partition_report(model)
    assert report.threads == 1
    assert "a on 1 thread: 50.0 (+1.0) us per prediction, measured (chosen)" in report.to_text()
