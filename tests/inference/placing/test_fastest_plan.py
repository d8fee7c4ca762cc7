"""Placement "fastest": which plans are made, which one stays, and what the record says of the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from lite_delegate import (
    CacheOptions,
    CacheOutcome,
    CacheStatus,
    Context,
    Delegate,
    DelegateModel,
    DelegateUnavailable,
    FallbackError,
    Kernel,
    Model,
    PartitionOptions,
    RejectCode,
    Rejected,
    Supported,
)
from lite_delegate.formats.ms import write_ms
from lite_delegate.inference.model_file.parts import ModelParts
from lite_delegate.inference.placing.choice import PlanChoice
from lite_delegate.inference.placing.fastest_plan import fastest_parts
from lite_delegate.inference.placing.measurement import TurnClock, TurnTime
from lite_delegate.inference.planned.planned_parts import planned_anew
from lite_delegate.ir import Graph
from lite_delegate.mindspore.context.context_settings import settings_of
from lite_delegate.runtime.records import AlternativeRecord
from lite_delegate.runtime.records.notices import Notices
from lite_delegate.runtime.settings import Settings
from lite_delegate.tensors.tensor import Tensor
from tests.inference.placing.test_measurement import SECOND, US
from tests.passes.random_graphs import Builder


class Clock:
    """Time that passes only where a delegate's kernel says so; whatever runs on the host takes ``host_us``."""

    def __init__(self, host_us: int) -> None:
        self.ns = 0
        self._host = US * host_us

    def now(self) -> int:
        self.ns += self._host  # of two looks, the second is that much later
        return self.ns

    def rest(self, seconds: float) -> None:
        self.ns += round(seconds * SECOND)


class Timed(Kernel):
    """Runs kernels of the host, and lets time pass."""

    def __init__(self, run: Sequence[Kernel], model: DelegateModel, owner: TimedDelegate) -> None:
        boundary = model.boundary_of(run)
        super().__init__(f"{owner.name}_run", "Timed", boundary.inputs, boundary.outputs)
        self._run, self._owner = run, owner

    def execute(self) -> None:
        for kernel in self._run:
            kernel.execute()
        self._owner.clock.ns += US * self._owner.us

    def release(self) -> None:
        self._owner.released += 1


class TimedDelegate(Delegate):
    """Claims some operators; each of its runs takes as long as it is told."""

    def __init__(self, name: str, us: int, clock: Clock, *types: str) -> None:
        self.name, self.us, self.clock, self._types, self.released = name, us, clock, types, 0

    def supports(self, kernel: Kernel) -> Supported | Rejected:
        claims = not self._types or kernel.type in self._types
        return Supported() if claims else Rejected(RejectCode.OPERATOR, "not mine")

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        return Timed(run, model, self)


class Absent(TimedDelegate):
    """A device that is not there."""

    def init(self) -> None:
        raise DelegateUnavailable("not there")


def network() -> Graph:
    b = Builder()
    y = b.node("AddFusion", b.node("Activation", b.input("x", (1, 2, 2, 4)), activation_type="RELU"), b.const(1.0))
    return b.graph(y)


def chosen(
    delegates: Sequence[Delegate], clock: Clock, change: Callable[[Context], None] = lambda context: None
) -> tuple[ModelParts, tuple[AlternativeRecord, ...]]:
    context = Context()
    context.set_delegates(delegates)
    context.partition = PartitionOptions(placement="fastest")
    change(context)
    settings, graph = settings_of(context), network()

    def plan(wanted: Settings, heard: Notices) -> ModelParts:
        assert wanted.partition.placement == "count"
        return planned_anew(graph, {}, wanted, heard)

    parts = fastest_parts(settings, Notices(), plan, clock=TurnClock(clock.now, clock.rest))
    return parts, parts.scheduled.plan.record.alternatives


def names(rows: Sequence[AlternativeRecord]) -> list[tuple[str, bool]]:
    return [(row.plan, row.chosen) for row in rows]


def test_the_fastest_plan_stays_and_the_other_plans_are_given_back() -> None:
    clock = Clock(host_us=0)
    slow, quick = TimedDelegate("slow", 500, clock), TimedDelegate("quick", 100, clock)

    def strict(context: Context) -> None:
        context.strict = True

    parts, rows = chosen([slow, quick], clock, strict)
    assert parts.scheduled.plan.record.delegate == "quick"
    assert [(row.plan, row.measured_us, row.chosen) for row in rows[:2]] == [("slow", 500, False), ("quick", 100, True)]
    assert rows[2].plan == "CPU"
    assert "strict" in rows[2].reason
    assert (slow.released, quick.released) == (1, 0)


def test_the_cpu_alone_may_be_the_fastest() -> None:
    clock = Clock(host_us=2)
    parts, rows = chosen([TimedDelegate("slow", 500, clock)], clock)
    assert parts.scheduled.plan.record.subgraphs == ()
    assert names(rows) == [("slow", False), ("CPU", True)]


@pytest.mark.parametrize(("first_us", "stays"), [(101, "first"), (103, "second")])
def test_the_delegate_that_comes_first_stays_where_the_difference_is_noise(first_us: int, stays: str) -> None:
    clock = Clock(host_us=0)

    def strict(context: Context) -> None:
        context.strict = True

    parts, _ = chosen([TimedDelegate("first", first_us, clock), TimedDelegate("second", 100, clock)], clock, strict)
    assert parts.scheduled.plan.record.delegate == stays


def test_a_delegate_may_take_nodes_that_another_delegate_leaves() -> None:
    clock = Clock(host_us=0)
    one, two = TimedDelegate("one", 10, clock, "Activation"), TimedDelegate("two", 10, clock, "AddFusion")
    _, rows = chosen([one, two], clock)
    assert [row.plan for row in rows] == ["one, CPU", "two, CPU", "CPU", "one, two", "two, one"]


@pytest.fixture
def _slow_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """The host is estimated to be far slower than any delegate."""
    monkeypatch.setattr("lite_delegate.inference.placing.baseline_plans.HOST_US", 0.0)
    monkeypatch.setattr("lite_delegate.inference.placing.baseline_plans.SLOWER", 0.01)


@pytest.mark.usefixtures("_slow_host")
def test_a_delegate_that_takes_nothing_is_said_and_in_no_pair() -> None:
    clock = Clock(host_us=0)
    all_of_it, part = TimedDelegate("all", 10, clock), TimedDelegate("part", 10, clock, "Activation")
    nothing = TimedDelegate("nothing", 10, clock, "Conv2DFusion")
    _, rows = chosen([all_of_it, part, nothing], clock)
    reasons = {row.plan: row.reason for row in rows if row.measured_us is None and row.plan != "CPU"}
    assert reasons == {"nothing": "nothing takes nothing"}
    assert ("part, all", False) in names(rows)


@pytest.mark.usefixtures("_slow_host")
def test_a_second_delegate_is_not_asked_where_the_first_ones_part_is_too_slow_already() -> None:
    """What "part" takes needs 500 us there, and "all" 10 in all; what "other" leaves, "part" does not take."""
    clock = Clock(host_us=0)
    part, other = TimedDelegate("part", 500, clock, "Activation"), TimedDelegate("other", 5, clock, "Activation")
    _, rows = chosen([TimedDelegate("all", 10, clock), part, other], clock)
    reasons = {row.plan: row.reason for row in rows}
    assert reasons["part, all"] == "what part takes needs 500.0 us on it, and the quickest plan 5.0 in all"
    assert reasons["other, part"] == "part takes nothing of what is left"
    assert reasons["other, all"] == ""


@pytest.mark.usefixtures("_slow_host")
def test_a_host_that_is_estimated_to_be_far_slower_is_not_measured() -> None:
    clock = Clock(host_us=0)

    def one_thread(context: Context) -> None:
        context.cpu.thread_num = 1

    _, rows = chosen([TimedDelegate("quick", 100, clock)], clock, one_thread)
    assert names(rows) == [("quick", True), ("CPU", False)]
    assert rows[1].reason.startswith("estimated from shapes to take 10.0 us or more, and the quickest plan takes 100.0")


def test_an_absent_device_is_no_plan_of_its_own() -> None:
    clock = Clock(host_us=1)
    _, rows = chosen([Absent("absent", 1, clock), TimedDelegate("there", 1, clock)], clock)
    assert {row.plan: row.reason for row in rows if row.reason} == {"absent": "absent takes nothing"}


def test_where_no_plan_can_be_made_the_first_reason_is_raised() -> None:
    clock = Clock(host_us=1)

    def strict(context: Context) -> None:
        context.strict = True

    with pytest.raises(FallbackError, match=r"Activation|AddFusion"):
        chosen([TimedDelegate("part", 1, clock, "Activation")], clock, strict)


def test_through_the_model_and_again_for_other_shapes() -> None:
    clock = Clock(host_us=0)
    context = Context()
    context.set_delegates([TimedDelegate("a", 1, clock), TimedDelegate("b", 1, clock)])
    context.partition = PartitionOptions(placement="fastest")
    model = Model()
    model.build_from_graph(network(), context)
    assert {row.plan for row in model.get_partition().alternatives} == {"a", "b", "CPU"}
    assert model.get_partition().options.placement == "fastest"
    for batch in (1, 3):
        inputs = model.get_inputs()
        model.resize(inputs, [[batch, 2, 2, 4]])
        x = np.full((batch, 2, 2, 4), -2, np.float32)
        (y,) = model.predict([Tensor(x)])
        np.testing.assert_array_equal(y.get_data_to_numpy(), np.ones_like(x))
        assert sum(row.chosen for row in model.get_partition().alternatives) == 1


class Kept(TimedDelegate):
    """Its graph kernels can be kept: what they do is in them."""

    release = "1.0"

    def version(self) -> str:
        return self.release

    def cache_key(self) -> dict[str, str]:
        return {"us": str(self.us), "release": self.release}

    def export_kernel(self, kernel: Kernel) -> bytes:
        return b"relu and 1 more"

    def import_kernel(self, data: memoryview, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        return Imported(self.name, "Imported", inputs, outputs)


class Imported(Kernel):
    """The network, from what was kept of it."""

    def execute(self) -> None:
        self.outputs[0].data = np.maximum(self.inputs[0].data, 0) + 1


def test_the_choice_is_kept_and_nothing_is_measured_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(host_us=0)
    write_ms(network(), tmp_path / "model.ms")
    x = np.full((1, 2, 2, 4), -2, np.float32)
    monkeypatch.setattr(
        "lite_delegate.inference.placing.fastest_plan.chosen",
        lambda *_: PlanChoice(1, (TurnTime(500, 1), TurnTime(100, 1))),
    )
    for status in (CacheStatus.MISS, CacheStatus.HIT):
        context = Context()
        context.set_delegates([Kept("slow", 500, clock), Kept("quick", 100, clock)])
        context.partition = PartitionOptions(placement="fastest")
        context.strict = True
        context.cache = CacheOptions(tmp_path / "kept")
        model = Model()
        model.build_from_file(tmp_path / "model.ms", context=context)
        assert model.cache_outcome.status is status
        (y,) = model.predict([x])
        np.testing.assert_array_equal(y.get_data_to_numpy(), np.ones_like(x))
        assert model.get_partition().delegate == "quick"
        assert [row.plan for row in model.get_partition().alternatives if row.chosen] == ["quick"]
        monkeypatch.setattr(
            "lite_delegate.inference.placing.fastest_plan.chosen", None
        )  # from now on nothing is measured


class Asked:
    """What a model is built with, of which any part may change."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._clock = folder, Clock(host_us=0)
        write_ms(network(), folder / "model.ms")
        self.threads, self.stream_threads, self.batch, self.release = 1, 0, 1, "1.0"
        self.names = ["slow", "quick"]

    def build(self) -> tuple[Model, CacheOutcome]:
        context = Context()
        context.cpu.thread_num = self.threads
        delegates = [Kept(name, {"slow": 500, "quick": 100}[name], self._clock) for name in self.names]
        delegates[0].release = self.release
        context.set_delegates(delegates)
        context.partition = PartitionOptions(placement="fastest")
        context.strict = True
        context.cache = CacheOptions(self._folder / "kept")
        model = Model()
        model.build_from_file(self._folder / "model.ms", context=context)
        if self.batch > 1:
            model.resize(model.get_inputs(), [[self.batch, 2, 2, 4]])
        assert model.cache_outcome is not None
        return model, model.cache_outcome


def another_machine(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lite_delegate.runtime.planning.timing.identity.machine", lambda: "another one")


def another_release_of_ours(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lite_delegate.inference.compiling.model_cache.VERSION", "99.0")


def more_threads(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    asked.threads = 2


def another_release_of_a_backend(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    asked.release = "1.1"


def another_order(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    asked.names.reverse()


def one_backend_less(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    asked.names.remove("slow")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (another_machine, "measured.machine"),
        (another_release_of_ours, "software.package"),
        (more_threads, "measured.threads"),
        (another_release_of_a_backend, "device.slow.release"),
        (another_order, "devices"),
        (one_backend_less, "devices"),
    ],
    ids=lambda each: each.__name__ if callable(each) else "",
)
def test_what_it_depends_on_is_measured_anew(
    change: Callable[[Asked, pytest.MonkeyPatch], None], field: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Asked(tmp_path)
    assert [asked.build()[1].status for _ in range(2)] == [CacheStatus.MISS, CacheStatus.HIT]
    change(asked, monkeypatch)
    _, outcome = asked.build()
    assert outcome.status is CacheStatus.MISS
    assert field in {each.field for each in outcome.changes}
    assert asked.build()[1].status is CacheStatus.HIT


def test_other_shapes_are_measured_anew_whatever_was_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(tmp_path)
    asked.build()
    measured: list[int] = []

    def choose(calls: Sequence[object], *_: object) -> PlanChoice:
        measured.append(len(calls))
        return PlanChoice(0, (TurnTime(90, 1), TurnTime(100, 1)))

    monkeypatch.setattr("lite_delegate.inference.placing.fastest_plan.chosen", choose)
    asked.batch = 3
    model, _ = asked.build()
    assert measured == [2]
    assert model.get_partition().delegate == "slow"
