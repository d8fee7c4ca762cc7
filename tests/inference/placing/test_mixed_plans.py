"""Mixtures of delegates: found by the times of pieces, kept where they are measured to be faster."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from lite_delegate_kernels import Array

from lite_delegate import Context, DelegateModel, Kernel, PartitionOptions, RejectCode, Rejected, Supported
from lite_delegate.delegate import cancel_point
from lite_delegate.errors import DelegateExecuteError
from lite_delegate.inference.model_file.parts import ModelParts
from lite_delegate.inference.placing.fastest_plan import fastest_parts
from lite_delegate.inference.placing.measurement import TurnClock
from lite_delegate.inference.placing.mixed_plans import mixed_times
from lite_delegate.inference.placing.mixture_search import MIXTURE
from lite_delegate.inference.placing.piece_times import Piece, Pieces
from lite_delegate.inference.planned.planned_parts import planned_anew
from lite_delegate.inference.running.runner_maker import runner_of
from lite_delegate.ir import Graph, Source
from lite_delegate.mindspore.context.context_settings import settings_of
from lite_delegate.partition import PartitionGraph
from lite_delegate.runtime.execution.fallback import Fallbacks
from lite_delegate.runtime.records import AlternativeRecord
from lite_delegate.runtime.records.notices import Notices
from lite_delegate.runtime.settings import Settings
from tests.inference.placing.test_fastest_plan import Clock, Timed, TimedDelegate
from tests.inference.placing.test_measurement import SECOND, US
from tests.passes.random_graphs import Builder

RELUS, ADDITIONS = 4, 4


def halves() -> Graph:
    """Relus, and behind them additions of 1."""
    b = Builder()
    y = b.input("x", (1, 2, 2, 4))
    for _ in range(RELUS):
        y = b.node("Activation", y, activation_type="RELU")
    for _ in range(ADDITIONS):
        y = b.node("AddFusion", y, b.const(1.0))
    return b.graph(y)


class PerNode(Timed):
    """Takes what its nodes take."""

    def execute(self) -> None:
        owner = self._owner
        assert isinstance(owner, PerNodeDelegate)
        owner.is_running = True
        for kernel in self._run:
            kernel.execute()
        owner.is_running = False
        if len(self._run) < owner.fails_below:
            raise DelegateExecuteError("too small")
        owner.clock.ns += US * (owner.us + sum(owner.of_types.get(kernel.type, 0) for kernel in self._run))


class PerNodeDelegate(TimedDelegate):
    """What it takes for each type of node, and for each subgraph."""

    fails_below = 0
    is_running = False

    def __init__(self, name: str, clock: Clock, start_us: int, of_types: Mapping[str, int]) -> None:
        super().__init__(name, start_us, clock, *of_types)
        self.of_types = of_types

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        return PerNode(run, model, self)


def good_at_each(clock: Clock, start_us: int = 30) -> tuple[PerNodeDelegate, PerNodeDelegate]:
    return (
        PerNodeDelegate("relus", clock, start_us, {"Activation": 100, "AddFusion": 1_000}),
        PerNodeDelegate("sums", clock, start_us, {"Activation": 1_000, "AddFusion": 100}),
    )


def scattered() -> Graph:
    """Three custom nodes, an addition of 1, a custom node, an addition of 1, a custom node."""
    b = Builder()
    y = b.input("x", (1, 2, 2, 4))
    for letter in "cccacac":
        y = b.node("AddFusion", y, b.const(1.0)) if letter == "a" else b.node("Custom", y, type="Slow")
    return b.graph(y)


def chosen(
    delegates: Sequence[TimedDelegate],
    options: PartitionOptions,
    making: Callable[[], None] = lambda: None,
    *,
    graph: Graph | None = None,
    on_host: Callable[[], None] | None = None,
) -> tuple[ModelParts, dict[str, AlternativeRecord]]:
    context, clock = Context(), delegates[0].clock
    graph = graph or halves()
    context.strict = on_host is None
    if on_host is not None:
        context.register_custom("Slow", _slow(on_host))
    context.set_delegates(delegates)
    context.partition = options

    def plan(wanted: Settings, heard: Notices) -> ModelParts:
        making()
        return planned_anew(graph, {}, wanted, heard)

    parts = fastest_parts(settings_of(context), Notices(), plan, clock=TurnClock(clock.now, clock.rest))
    rows = parts.scheduled.plan.record.alternatives
    return parts, {row.plan: row for row in rows}


def _slow(on_host: Callable[[], None]) -> Callable[..., Array]:
    def run(arrays: Sequence[Array], _: Mapping[str, bytes]) -> Array:
        on_host()
        return arrays[0]

    return run


FASTEST = PartitionOptions(placement="fastest")


def test_each_delegate_gets_the_part_that_it_is_good_at() -> None:
    delegates = good_at_each(Clock(host_us=0))
    parts, rows = chosen(delegates, FASTEST)
    record = parts.scheduled.plan.record
    assert [(each.delegate, len(each.kernels)) for each in record.subgraphs] == [("relus", 4), ("sums", 4)]
    mixed = rows["relus (4 nodes), sums (4 nodes)"]
    assert (mixed.measured_us, mixed.again_us, mixed.chosen) == (860, 860, True)
    assert mixed.estimated_us == pytest.approx(860, rel=0.05)
    assert rows["relus"].again_us == 4_430
    x = np.full((1, 2, 2, 4), -3, np.float32)
    (y,) = runner_of(parts.scheduled, Fallbacks(parts.scheduled.plan)).run([x])
    np.testing.assert_array_equal(y, np.full_like(x, ADDITIONS))


def test_names_of_the_file_that_are_those_of_other_kernels_do_not_matter() -> None:
    """What was made of one node of a file may be several kernels, of which one has its name."""
    graph = halves()
    graph.nodes[RELUS].sources = (Source("Activation0", "Sum"),)
    parts, _ = chosen(good_at_each(Clock(host_us=0)), FASTEST, graph=graph)
    assert [len(each.kernels) for each in parts.scheduled.plan.record.subgraphs] == [RELUS, ADDITIONS]


def test_what_a_delegate_does_not_take_for_other_shapes_the_cpu_runs() -> None:
    context = Context()
    context.set_delegates([TimedDelegate("relus", 1, Clock(host_us=0), "Activation")])
    wanted = replace(settings_of(context), kernel_affinity={"Activation0": "relus", "AddFusion4": "relus"})
    nodes = planned_anew(halves(), {}, wanted, Notices()).scheduled.plan.record.nodes
    assert {node.name: node.device for node in nodes}["AddFusion4"] == "CPU"


def test_all_other_plans_are_given_back() -> None:
    delegates = good_at_each(Clock(host_us=0))
    parts, _ = chosen(delegates, FASTEST)
    parts.scheduled.lease.close("the test is over")
    whole_pieces_mixture = 1 + RELUS + ADDITIONS + 1
    for each in delegates:
        assert each.released >= whole_pieces_mixture


def test_where_starts_take_more_than_is_gained_one_delegate_has_all() -> None:
    options = PartitionOptions(placement="fastest", calibration_ms=1_000)
    parts, rows = chosen(good_at_each(Clock(host_us=0), start_us=5_000), options)
    assert parts.scheduled.plan.record.delegate == "relus"
    assert rows[MIXTURE].reason.startswith(
        "by the times of pieces 9,400.0 us with one device, and nothing that is faster"
    )


def test_one_delegate_keeps_what_pays_and_the_host_gets_the_rest() -> None:
    """A node takes the host 100 us, and the delegate 10 behind a start of 150: three of them pay, one does not."""
    delegate = PerNodeDelegate("slow", Clock(host_us=0), 150, {"Custom": 10})

    def on_host() -> None:
        if not delegate.is_running:
            delegate.clock.ns += 100 * US

    parts, rows = chosen([delegate], FASTEST, graph=scattered(), on_host=on_host)
    record = parts.scheduled.plan.record
    assert [len(each.kernels) for each in record.subgraphs] == [3]
    mixed = rows["slow (3 nodes), CPU (4 nodes)"]
    assert (mixed.measured_us, mixed.chosen) == (380, True)
    codes = {node.name: node.code for node in record.nodes if node.subgraph is None}
    gain, theirs = RejectCode.COST, RejectCode.OPERATOR
    assert codes == {"AddFusion3": theirs, "Custom4": gain, "AddFusion5": theirs, "Custom6": gain}
    assert record.options == FASTEST
    assert (rows["slow, CPU"].measured_us, rows["CPU"].measured_us) == (500, 500)


def test_a_second_delegate_that_promises_much_is_asked_when_the_time_is_over() -> None:
    """What "sums" takes needs a seventh of the quickest plan, so that a second one behind it may be far quicker."""
    clock = Clock(host_us=0)
    sums = PerNodeDelegate("sums", clock, 1, {"AddFusion": 20})
    slow = PerNodeDelegate("slow", clock, 1, {"Custom": 60})
    both = (slow, sums)

    def on_host() -> None:
        if not any(each.is_running for each in both):
            clock.ns += 100 * US

    options = PartitionOptions(placement="fastest", calibration_ms=0)
    _, rows = chosen(both, options, graph=scattered(), on_host=on_host)
    assert {row.plan: row.reason for row in rows.values()} == {
        "slow, CPU": "",
        "sums, CPU": "",
        "sums, slow": "",
        "slow, sums": "not looked for: of 0 s 0.0 are left",
        "CPU": "not looked for: of 0 s 0.0 are left",
        MIXTURE: "not looked for: it would take about 0.1 s, and of 0 s 0.0 are left",
    }


class Picking(PerNodeDelegate):
    """Takes custom nodes, the first three or the others."""

    def __init__(self, name: str, clock: Clock, *, takes_first: bool) -> None:
        super().__init__(name, clock, 1, {"Custom": 10})
        self._takes_first = takes_first

    def supports(self, kernel: Kernel) -> Supported | Rejected:
        is_first = kernel.name in ("Custom0", "Custom1", "Custom2")
        if kernel.type == "Custom" and is_first == self._takes_first:
            return Supported()
        return Rejected(RejectCode.OPERATOR, "not mine")


@pytest.mark.parametrize("host_us", [200_000, 30_000_000])
def test_a_host_that_takes_very_long_with_the_rest_is_saved_by_a_second_delegate(host_us: int) -> None:
    """Either alone leaves 2 or 3 nodes to the host; predictions are made once, what takes minutes is given up."""
    clock = Clock(host_us=0)
    first, others = Picking("first", clock, takes_first=True), Picking("others", clock, takes_first=False)

    def on_host() -> None:
        if not first.is_running and not others.is_running:
            cancel_point()
            clock.ns += host_us * US

    parts, rows = chosen((first, others), FASTEST, graph=scattered(), on_host=on_host)
    assert {each.device for each in parts.scheduled.plan.record.nodes} == {"first", "others", "CPU"}
    assert (rows["first, others, CPU"].measured_us, rows["first, others, CPU"].chosen) == (53, True)
    assert rows["others, first"].reason == "not looked for: of 0.4 s 0.0 are left"
    assert clock.ns < 8 * host_us * US


def test_the_users_own_plan_is_left_alone() -> None:
    delegates = good_at_each(Clock(host_us=0))
    names = [node.name for node in chosen(delegates, FASTEST)[0].scheduled.plan.record.nodes]
    groups = PartitionOptions(placement="fastest", groups=[names[:2]])
    _, rows = chosen(delegates, groups)
    assert rows[MIXTURE].reason == "the user's own plan says what runs where"


@pytest.mark.parametrize(("slower", "seconds"), [(1, 0.4), (4, 0.4), (10, 0.4), (100, 1.0)])
def test_all_measuring_together_is_bounded(slower: int, seconds: float) -> None:
    """Predictions with one delegate take 4.4 ms to 0.44 s: each delegate makes at least one, and one before it.

    Where they take little more than 4 ms, they are run in pieces too.
    """
    clock = Clock(host_us=0)
    delegates = good_at_each(clock)
    for each in delegates:
        each.of_types = {name: us * slower for name, us in each.of_types.items()}
    _, rows = chosen(delegates, FASTEST)
    assert clock.ns < seconds * SECOND
    assert (MIXTURE in rows) == (slower > 1)


def test_making_plans_is_bounded_too() -> None:
    """Each takes 0.3 s: after those with each delegate alone there is no time for pieces."""
    delegates = good_at_each(Clock(host_us=0))
    made: list[int] = []

    def making() -> None:
        made.append(1)
        delegates[0].clock.ns += 300_000 * US

    parts, rows = chosen(delegates, FASTEST, making)
    assert rows[MIXTURE].reason == "not looked for: it would take about 1.7 s, and of 0.4 s 0.0 are left"
    calibration = parts.scheduled.plan.record.calibration
    assert calibration is not None
    assert (len(made), calibration.preparing_us, calibration.chosen_us) == (3, 900_000, 300_000)
    assert calibration.measuring_us == delegates[0].clock.ns / US - calibration.preparing_us


def test_pieces_that_fail_are_the_reason() -> None:
    delegates = good_at_each(Clock(host_us=0))
    delegates[1].fails_below = 2
    parts, rows = chosen(delegates, FASTEST)
    assert "too small" in rows[MIXTURE].reason
    assert parts.scheduled.plan.record.delegate == "relus"


def test_what_a_piece_takes_is_shared_by_weights_without_start_and_bytes() -> None:
    """100 us, of which 20 for the start and 30 for 300 bytes: the rest as 1 to 4; nodes of a piece stay together."""
    graph = PartitionGraph(((), (0,), (1,)), (True,) * 3, names=("a", "b", "c"))
    one = Pieces((Piece(("a", "b"), 100.0, 300),), {}, 20.0, 0.1)
    two = Pieces((Piece(("a",), 7.0, 0), Piece(("b", "c"), 40.0, 0)), {}, 10.0, 0.0)
    times, groups = mixed_times(graph, {"one": one, "two": two}, {"c": 5.0}, {"a": 1.0, "b": 4.0, "c": 4.0})
    inf = float("inf")
    assert times.node_us == ((inf, 10.0, 0.0), (inf, 40.0, 15.0), (5.0, inf, 15.0))
    assert (times.start_us, times.byte_us) == ((0.0, 20.0, 10.0), (0.0, 0.1, 0.0))
    assert groups == [[0], [1], [2]]
