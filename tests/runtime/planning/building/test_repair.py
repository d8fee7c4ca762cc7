"""Subgraphs that do not compile: the nodes to blame are found, the rest is planned anew, nothing is left behind."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate import (
    Boundary,
    Context,
    Delegate,
    DelegateBuildError,
    DelegateModel,
    DelegateWarning,
    DeviceLost,
    FallbackError,
    Kernel,
    Model,
    PartitionOptions,
    RejectCode,
    UnsupportedOperatorError,
)
from lite_delegate.ir import Graph, Node, constant, make_primitive
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.device import Capacity, Device, Faults
from lite_delegate.npu.execution.graph import NPUGraph
from lite_delegate.partition.properties import Property
from lite_delegate.testing.delegates import GroupKernel, NamedDelegate, WalkingDelegate
from lite_delegate.testing.partitions import model_violations
from tests.runtime import control_graphs as control
from tests.runtime.graphs import binary, chain, unary, value
from tests.runtime.planning.claims.test_several_delegates import assert_same_as_cpu, cases, devices, named, parts

Complaint = Callable[[Sequence[Kernel]], str]
"""What a compiler says of a run: "" if it can compile it."""


class Held(GroupKernel):
    """Takes a place on its device when it is prepared, and may raise then; it keeps the place until it is released."""

    def __init__(self, name: str, boundary: Boundary, kernels: Sequence[Kernel], delegate: Picky) -> None:
        super().__init__(name, boundary, kernels)
        self.delegate = delegate

    def prepare(self) -> None:
        used = self.delegate.used()
        self.delegate.held.append(self)
        if self.delegate.at_prepare and (text := self.delegate.complain(self.kernels)):
            raise DelegateBuildError(text)
        if self.delegate.room is not None and used + len(self.kernels) > self.delegate.room:
            raise DelegateBuildError("the device is full")

    def release(self) -> None:
        if self in self.delegate.held:
            self.delegate.held.remove(self)


class Picky(NamedDelegate):
    """Cannot compile runs that its complaint is about, nor hold more than ``room`` kernels at a time."""

    def __init__(self, complain: Complaint, *, at_prepare: bool = False, room: int | None = None) -> None:
        super().__init__(None)
        self.complain, self.at_prepare, self.room = complain, at_prepare, room
        self.held: list[Held] = []
        self.tried: list[list[str]] = []

    def used(self) -> int:
        return sum(len(kernel.kernels) for kernel in self.held)

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        self.tried.append([k.name for k in run])
        if not self.at_prepare and (text := self.complain(run)):
            raise DelegateBuildError(text)
        number = sum(isinstance(k, Held) for k in model)
        return Held(f"Group{number}", model.boundary_of(run), run, self)


class PickyWalker(WalkingDelegate, Picky):
    """The same the original's way: it states no claims, and what it raises ends its build."""

    def __init__(self, complain: Complaint, *, at_prepare: bool = False, room: int | None = None) -> None:
        Picky.__init__(self, complain, at_prepare=at_prepare, room=room)

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        return Picky.create_graph_kernel(self, run, model)


KINDS = [Picky, PickyWalker]


def no(*names: str) -> Complaint:
    """A compiler that cannot do these nodes, whatever they are compiled with."""
    return lambda run: next((f"'{k.name}' is odd" for k in run if k.name in names), "")


def not_together(*names: str) -> Complaint:
    """A compiler that can do these nodes, but not all of them in one subgraph."""
    return lambda run: "these clash" if set(names) <= {k.name for k in run} else ""


def at_most(count: int) -> Complaint:
    """A compiler for subgraphs of some size."""
    return lambda run: f"more than {count}" if len(run) > count else ""


def built(graph: Graph, *delegates: Delegate, strict: bool = False, **options: object) -> Model:
    context = Context()
    context.set_delegates(delegates)
    context.strict = strict
    context.partition = PartitionOptions(**options)  # type: ignore[arg-type]
    model = Model()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DelegateWarning)
        model.build_from_graph(graph, context)
    return model


def assert_clean(model: Model, delegate: Picky) -> None:
    """What the device holds is what the plan runs, under names that differ."""
    kernels = model.get_graph_kernels()
    assert set(delegate.held) == set(kernels)
    assert len({k.name for k in kernels}) == len(kernels)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("at_prepare", [False, True])
@pytest.mark.parametrize("guilty", [["n0"], ["n3"], ["n7"], ["n2", "n3"], ["n1", "n6"]], ids="-".join)
def test_the_guilty_go_to_the_cpu_and_the_rest_stays(kind: type[Picky], at_prepare: bool, guilty: list[str]) -> None:
    graph = chain(8)
    delegate = kind(no(*guilty), at_prepare=at_prepare)
    model = built(graph, delegate)
    record = model.get_partition()
    assert [n.name for n in record.nodes if n.subgraph is None] == guilty
    for node in record.nodes:
        if node.subgraph is None:
            assert (node.code, node.reason) == (RejectCode.COMPILE_FAILED, f"'{node.name}' is odd")
    assert len(record.subgraphs) == record.minimum_subgraphs
    (note,) = record.notes
    staying = "1 kernel stays" if len(guilty) == 1 else f"{len(guilty)} kernels stay"
    assert f"{staying} off it: '{guilty[0]}' (AddFusion): '{guilty[0]}' is odd" in note
    assert_clean(model, delegate)
    assert_same_as_cpu(graph, model)


def test_the_rest_is_planned_anew() -> None:
    """Without the guilty node on one branch, the other branch can be one subgraph with what comes behind."""
    x = value("x")
    top = unary("top", x)
    odd, even = unary("odd", top.outputs[0]), unary("even", top.outputs[0])
    join = binary("join", odd.outputs[0], even.outputs[0])
    graph = Graph("main", [x], list(join.outputs), [top, even, odd, join])
    delegate = Picky(no("odd"))
    model = built(graph, delegate)
    found = parts(model.get_partition(), "named")
    assert len(found) == 2
    assert sorted(name for part in found for name in part) == ["even", "join", "top"]
    assert_clean(model, delegate)
    assert_same_as_cpu(graph, model)


def test_independent_parts_become_one_subgraph_again() -> None:
    """The halves on both sides of a guilty node that nothing depends on are joined, once it is out of the way."""
    graph = chain(7)
    x = graph.inputs[0]
    lonely = unary("lonely", x)
    graph.nodes.insert(3, lonely)
    graph.outputs.append(lonely.outputs[0])
    delegate = Picky(no("lonely"))
    model = built(graph, delegate)
    assert parts(model.get_partition(), "named") == [[f"n{i}" for i in range(7)]]
    assert_clean(model, delegate)


@pytest.mark.parametrize("tries", range(6, 10))
def test_a_round_that_ends_with_less_does_not_count(tries: int) -> None:
    """Six tries find the guilty node; the rest is one subgraph then, which is too large: two more would cut it."""
    graph = chain(7)
    lonely = unary("lonely", graph.inputs[0])
    graph.nodes.insert(3, lonely)
    graph.outputs.append(lonely.outputs[0])
    delegate = Picky(lambda run: no("lonely")(run) or at_most(6)(run))
    model = built(graph, delegate, repair_tries=tries)
    assert [name for name, device in devices(model).items() if device == "CPU"] == ["lonely"]
    assert_clean(model, delegate)
    assert_same_as_cpu(graph, model)


@pytest.mark.parametrize("kind", KINDS)
def test_what_no_single_node_causes_ends_in_parts(kind: type[Picky]) -> None:
    graph = chain(8)
    delegate = kind(not_together("n1", "n6"))
    model = built(graph, delegate)
    assert parts(model.get_partition(), delegate.name) == [["n0", "n1", "n2", "n3"], ["n4", "n5", "n6", "n7"]]
    (note,) = model.get_partition().notes
    what = "the subgraph of 8 kernels from 'n0' to 'n7' (these clash)"
    assert note.startswith(f"Delegate '{delegate.name}' could not compile {what}; tried 2 parts")
    assert "all of its nodes are in smaller subgraphs now" in note
    assert_clean(model, delegate)
    assert_same_as_cpu(graph, model)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_runs_that_are_too_large_are_split(kind: type[Picky], size: int) -> None:
    graph = chain(9)
    delegate = kind(at_most(size))
    model = built(graph, delegate)
    assert set(devices(model).values()) == {delegate.name}
    assert all(len(s.kernels) <= size for s in model.get_partition().subgraphs)
    assert_clean(model, delegate)
    assert_same_as_cpu(graph, model)


def test_what_does_not_fit_into_the_device_beside_the_rest_stays_on_the_cpu() -> None:
    graph = chain(8)
    delegate = Picky(lambda run: "", room=5)
    model = built(graph, delegate, repair_tries=None)
    record = model.get_partition()
    assert sum(len(s.kernels) for s in record.subgraphs) == 5
    assert {n.reason for n in record.nodes if n.subgraph is None} == {"the device is full"}
    assert_clean(model, delegate)
    assert_same_as_cpu(graph, model)


@pytest.mark.parametrize("tries", [0, 1, 2, 3, 5, 8, 13])
def test_tries_are_bounded_and_end_in_a_clean_state(tries: int) -> None:
    graph = chain(16)
    delegate = Picky(no("n3", "n10"))
    model = built(graph, delegate, repair_tries=tries)
    assert len(delegate.tried) <= 1 + tries
    record = model.get_partition()
    on_cpu = {n.name for n in record.nodes if n.subgraph is None}
    assert on_cpu >= {"n3", "n10"}
    assert all(n.code is RejectCode.COMPILE_FAILED and n.reason for n in record.nodes if n.name in on_cpu)
    assert_clean(model, delegate)
    assert_same_as_cpu(graph, model)


def test_no_tries_leave_the_whole_run_on_the_cpu_and_all_of_them_only_the_guilty() -> None:
    assert set(devices(built(chain(16), Picky(no("n3")), repair_tries=0)).values()) == {"CPU"}
    without_limit = built(chain(16), Picky(no(*(f"n{i}" for i in range(0, 16, 2)))), repair_tries=None)
    assert sum(device == "CPU" for device in devices(without_limit).values()) == 8


def test_more_tries_never_leave_less_on_the_delegate() -> None:
    counts = []
    for tries in range(24):
        delegate = Picky(lambda run: no("n5")(run) or not_together("n2", "n9")(run))
        model = built(chain(12), delegate, repair_tries=tries)
        counts.append(sum(device != "CPU" for device in devices(model).values()))
        assert_clean(model, delegate)
    assert counts == sorted(counts)
    assert (counts[0], counts[-1]) == (0, 11)


def test_a_delegate_that_can_compile_nothing_gets_nothing() -> None:
    delegate = Picky(lambda run: "no")
    model = built(chain(4), delegate)
    assert set(devices(model).values()) == {"CPU"}
    assert delegate.held == []


def test_other_subgraphs_are_built_once() -> None:
    delegate = Picky(no("n4"))
    delegate.names = ["n0", "n1", "n3", "n4", "n6"]
    built(chain(8), delegate)
    assert delegate.tried.count(["n0", "n1"]) == 1
    assert delegate.tried.count(["n6"]) == 1


def test_a_lost_device_is_not_asked_again() -> None:
    def lost(run: Sequence[Kernel]) -> str:
        raise DeviceLost("gone")

    delegate = Picky(lost)
    model = built(chain(8), delegate)
    assert len(delegate.tried) == 1
    assert set(devices(model).values()) == {"CPU"}
    assert {n.reason for n in model.get_partition().nodes} == {"gone"}


def test_strict_raises_without_trying() -> None:
    delegate = Picky(no("n2"))
    with pytest.raises(FallbackError, match="8 kernels would run on the CPU") as caught:
        built(chain(8), delegate, strict=True)
    assert "'n2' is odd" in str(caught.value.__cause__)
    assert delegate.tried == [[f"n{i}" for i in range(8)]]


def test_a_build_that_fails_holds_nothing() -> None:
    delegate = Picky(no("n2"))
    with pytest.raises(FallbackError):
        built(chain(5), delegate, named("other", []), strict=True)
    delegate.names = ["n0", "n4"]
    with pytest.raises(FallbackError):
        built(chain(5), delegate, strict=True)
    assert delegate.held == []


def test_a_second_delegate_gets_what_the_first_could_not_compile() -> None:
    graph = chain(5)
    first, second = Picky(no("n2")), Picky(no("n4"))
    first.name, second.name = "a", "b"
    first.names = ["n0", "n1", "n2", "n3"]
    model = built(graph, first, second)
    assert devices(model) == {"n0": "a", "n1": "a", "n2": "b", "n3": "a", "n4": "CPU"}
    assert model.get_partition().nodes[4].reason == "a: 'n4' is not in the list; b: 'n4' is odd"
    assert set(model.get_graph_kernels()) == {*first.held, *second.held}
    assert_same_as_cpu(graph, model)


def test_graphs_of_control_flow_are_repaired_each_by_itself() -> None:
    graph = control.if_else(lambda x: control.add("plus", x, 10), lambda x: control.multiply("times", x, 3))
    model = built(graph, Picky(no("plus")))
    found = devices(model)
    assert (found["plus"], found["times"]) == ("CPU", "named")


def test_other_shapes_are_repaired_too() -> None:
    delegate = Picky(lambda run: no("n1")(run) if run[0].inputs[0].shape[0] == 2 else "")
    model = built(chain(4), delegate)
    assert [n for n, device in devices(model).items() if device == "CPU"] == ["n1"]
    model.resize(model.get_inputs(), [[5, 3]])
    assert set(devices(model).values()) == {"named"}
    model.resize(model.get_inputs(), [[2, 3]])
    assert_same_as_cpu(chain(4), model)


def test_groups_are_not_torn_apart() -> None:
    delegate = Picky(at_most(4))
    group = frozenset({"n3", "n4"})
    model = built(chain(8), delegate, groups=(group,))
    homes = {n.subgraph for n in model.get_partition().nodes if n.name in group}
    assert len(homes) == 1
    blamed = Picky(no("n3"))
    found = devices(built(chain(8), blamed, groups=(group,)))
    assert [name for name, device in found.items() if device == "CPU"] == ["n3", "n4"]


def test_parts_keep_within_the_users_limits() -> None:
    delegate = Picky(at_most(5))
    model = built(chain(9), delegate, min_kernels=5)
    nodes = model.get_partition().nodes
    assert [n.code for n in nodes if n.subgraph is None] == [RejectCode.TOO_SMALL] * 4
    assert len(delegate.held) == 1
    delegate = Picky(at_most(4))
    model = built(chain(8), delegate, max_subgraphs=1)
    assert [n.code for n in model.get_partition().nodes if n.subgraph is None] == [RejectCode.LIMIT] * 4
    assert_clean(model, delegate)


def test_nothing_is_left_where_the_rest_is_too_small() -> None:
    """Both sides of the guilty node compile, and neither is as large as the user wants."""
    delegate = Picky(no("n2"))
    model = built(chain(5), delegate, min_kernels=3)
    codes = [n.code for n in model.get_partition().nodes]
    assert codes == [RejectCode.TOO_SMALL] * 2 + [RejectCode.COMPILE_FAILED] + [RejectCode.TOO_SMALL] * 2
    assert_clean(model, delegate)


def test_a_delegate_that_marks_failures_itself_is_repaired() -> None:
    class Marking(PickyWalker):
        def _flush(self, model: DelegateModel, start: int, stop: int) -> int:
            try:
                return super()._flush(model, start, stop)
            except DelegateBuildError as e:
                model.mark_failed(model[start:stop], e)
                return stop

    graph = chain(8)
    model = built(graph, Marking(no("n3")))
    assert [name for name, device in devices(model).items() if device == "CPU"] == ["n3"]
    assert_same_as_cpu(graph, model)


def test_names_that_come_again_in_every_build_are_no_obstacle() -> None:
    class Counting(Picky):
        def build(self, model: DelegateModel) -> None:
            self.number = 0
            super().build(model)

        def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
            kernel = super().create_graph_kernel(run, model)
            kernel.name = f"Part{self.number}"
            self.number += 1
            return kernel

    delegate = Counting(no("n2", "n5"))
    delegate.names = ["n0", "n1", "n2", "n3", "n5", "n6", "n8"]
    model = built(chain(9), delegate)
    assert [n for n, device in devices(model).items() if device == "CPU"] == ["n2", "n4", "n5", "n7"]
    assert_clean(model, delegate)


def test_what_cannot_compile_and_the_cpu_cannot_run_is_named_with_the_reason() -> None:
    x = value("x")
    odd = Node("odd", make_primitive("Custom", type="Odd"), [x], [value("odd:0")])
    graph = Graph("main", [x], list(odd.outputs), [odd])
    with pytest.raises(UnsupportedOperatorError, match=r"'odd' \(Custom, FLOAT32\): 'odd' is odd"):
        built(graph, Picky(no("odd")))


def test_warnings_say_who_gets_what_did_not_compile() -> None:
    context = Context()
    for delegates, expected in (
        ([Picky(no("n1"))], "Delegate 'named': 1 kernel goes back to the CPU, the first is 'n1': 'n1' is odd"),
        ([Picky(no("n1")), named("b", [])], "1 kernel is left to other delegates and the CPU, the first is 'n1'"),
    ):
        context.set_delegates(delegates)
        with pytest.warns(DelegateWarning) as caught:
            Model().build_from_graph(chain(3), context)
        (first, *others) = [str(warning.message) for warning in caught]
        assert expected in first
        assert ["claim" in text for text in others] == [True] * (len(delegates) - 1)


def test_a_release_that_raises_is_no_reason_to_stop() -> None:
    def stuck() -> None:
        raise ZeroDivisionError

    class Stuck(Picky):
        def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
            kernel = super().create_graph_kernel(run, model)
            kernel.release = stuck  # type: ignore[method-assign]
            return kernel

    assert [n for n, d in devices(built(chain(6), Stuck(no("n2"), at_prepare=True))).items() if d == "CPU"] == ["n2"]


@settings(max_examples=120, deadline=None)
@given(cases(), st.sets(st.integers(0, 7), max_size=3), st.integers(1, 8), st.sampled_from([None, 0, 3, 9, 32]))
def test_any_faults_end_in_a_clean_state(
    case: tuple[Graph, list[list[str]]], odd: Collection[int], size: int, tries: int | None
) -> None:
    """With all tries, nobody but the guilty is on the CPU; with fewer ones the answers are right all the same."""
    graph, _ = case
    guilty = {n.name for i, n in enumerate(graph.nodes) if i in odd}
    delegate = Picky(lambda run: no(*guilty)(run) or at_most(size)(run))
    model = built(graph, delegate, repair_tries=tries)
    record = model.get_partition()
    on_cpu = {n.name for n in record.nodes if n.subgraph is None}
    assert on_cpu == guilty if tries is None else on_cpu >= guilty
    assert all(
        (n.code is None) == (n.subgraph is not None) and bool(n.reason) == (n.code is not None) for n in record.nodes
    )
    assert {v.property for v in model_violations(model)} <= {Property.COUNT}  # parts may be more than the fewest
    assert_clean(model, delegate)
    assert_same_as_cpu(graph, model)


def long_chain(count: int, shape: tuple[int, ...]) -> Graph:
    """x -> n0 -> n1 ..., each adding a constant as large as x, so that device memory is what counts."""
    x = value("x", shape)
    nodes: list[Node] = []
    for i in range(count):
        last = nodes[-1].outputs[0] if nodes else x
        nodes.append(binary(f"n{i}", last, constant(f"c{i}", np.full(shape, i + 1, np.float32))))
    return Graph("main", [x], list(nodes[-1].outputs), nodes)


def npu(**arguments: object) -> NPUDelegate:
    return NPUDelegate(device=Device(**arguments))  # type: ignore[arg-type]


def test_a_load_that_fails_once_costs_a_cut_and_no_kernel() -> None:
    delegate = npu(faults=Faults(no_memory=(1,)))
    graph = chain(6)
    model = built(graph, delegate)
    assert set(devices(model).values()) == {"npu"}
    assert len(model.get_partition().subgraphs) == delegate.device.programs == 2
    (got,) = model.predict({"x": np.full((2, 3), 7, np.float32)})
    np.testing.assert_array_equal(got.get_data_to_numpy(), np.full((2, 3), 28))


@pytest.mark.parametrize("faults", [range(1, 4), range(1, 40), (1, 3, 5)], ids=["three", "all", "odd"])
def test_the_npu_holds_only_what_its_plan_runs(faults: Iterable[int]) -> None:
    delegate = npu(faults=Faults(no_memory=tuple(faults)))
    graph = chain(6)
    model = built(graph, delegate)
    programs = sum(len(k.models) for k in model.get_graph_kernels() if isinstance(k, NPUGraph))
    assert delegate.device.programs == programs
    (got,) = model.predict({"x": np.full((2, 3), 7, np.float32)})
    np.testing.assert_array_equal(got.get_data_to_numpy(), np.full((2, 3), 28))


def test_models_that_are_too_large_for_the_device_run_on_it_as_far_as_they_fit() -> None:
    graph = long_chain(8, (64, 64))
    whole = npu()
    model = built(graph, whole)
    needed = whole.device.allocated_memory
    small = npu(memory=Capacity(dram=needed // 2))
    model = built(graph, small)
    record = model.get_partition()
    on_cpu = [n for n in record.nodes if n.subgraph is None]
    assert 0 < len(on_cpu) < 8
    assert all(n.code is RejectCode.COMPILE_FAILED and "device memory" in n.reason for n in on_cpu)
    assert 0 < small.device.allocated_memory <= needed // 2
    assert len(model.get_graph_kernels()) == len(record.subgraphs)
