"""Several delegates in order of preference: each gets what the ones before it left, in the fewest subgraphs."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate import (
    Context,
    Delegate,
    DelegateExecuteError,
    DelegateUnavailable,
    DelegateWarning,
    FallbackError,
    Kernel,
    Model,
    RejectCode,
    Rejected,
    Supported,
    UnsupportedOperatorError,
)
from lite_delegate.ir import Graph, Node, make_primitive
from lite_delegate.npu import NPUDelegate
from lite_delegate.report import partition_report
from lite_delegate.runtime.records.records import PartitionRecord
from lite_delegate.testing.delegates import NamedDelegate, WalkingDelegate
from lite_delegate.testing.partitions import model_violations
from tests.runtime import control_graphs as control
from tests.runtime.failing import Failing, raising, run
from tests.runtime.graphs import binary, chain, unary, value


def named(name: str, nodes: Sequence[str] | None, kind: type[NamedDelegate] = NamedDelegate) -> NamedDelegate:
    delegate = kind(nodes)
    delegate.name = name
    return delegate


def built(graph: Graph, *delegates: Delegate, strict: bool = False, on_delegate_error: str = "raise") -> Model:
    context = Context()
    context.set_delegates(delegates)
    context.strict = strict
    context.on_delegate_error = on_delegate_error
    model = Model()
    model.build_from_graph(graph, context)
    return model


def predict(model: Model, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    arrays = {t.name: rng.normal(size=t.shape).astype(np.float32) for t in model.get_inputs()}
    return [t.get_data_to_numpy() for t in model.predict(arrays)]


def assert_same_as_cpu(graph: Graph, model: Model) -> None:
    for got, want in zip(predict(model), predict(built(graph)), strict=True):
        np.testing.assert_array_equal(got, want)


def devices(model: Model) -> dict[str, str]:
    return {n.name: n.device for n in model.get_partition().nodes}


def parts(record: PartitionRecord, delegate: str) -> list[list[str]]:
    return [list(s.kernels) for s in record.subgraphs if s.delegate == delegate]


@pytest.mark.parametrize("kind", [NamedDelegate, WalkingDelegate])
def test_the_first_goes_before_the_second_and_the_cpu_has_the_rest(kind: type[NamedDelegate]) -> None:
    graph = chain(6)
    model = built(graph, named("a", ["n0", "n1", "n4"], kind), named("b", ["n1", "n2", "n3", "n4"], kind))
    record = model.get_partition()
    assert devices(model) == {"n0": "a", "n1": "a", "n2": "b", "n3": "b", "n4": "a", "n5": "CPU"}
    assert (parts(record, "a"), parts(record, "b")) == ([["n0", "n1"], ["n4"]], [["n2", "n3"]])
    assert record.delegate == "a, b"
    assert_same_as_cpu(graph, model)


def test_the_second_is_asked_only_for_what_is_left() -> None:
    class Noting(NamedDelegate):
        def supports(self, kernel: Kernel) -> Supported | Rejected | None:
            asked.append(kernel.name)
            return super().supports(kernel)

    asked: list[str] = []
    built(chain(4), named("a", ["n1", "n2"]), named("b", None, Noting))
    assert asked == ["n0", "n3"]


def test_graph_kernels_of_the_first_are_nothing_that_the_second_may_take() -> None:
    seen: list[tuple[str, bool]] = []

    class Looking(WalkingDelegate):
        def build(self, model: object) -> None:
            seen.extend((k.name, model.primitive(k) is None) for k in model)  # type: ignore[attr-defined]
            super().build(model)  # type: ignore[arg-type]

    built(chain(3), named("a", ["n1"]), named("b", None, Looking))
    assert seen == [("n0", False), ("Group0", True), ("n2", False)]


def test_names_of_graph_kernels_differ_whoever_made_them() -> None:
    model = built(chain(4), named("a", ["n0", "n2"]), named("b", ["n1", "n3"]))
    names = [s.name for s in model.get_partition().subgraphs]
    assert sorted(names) == ["Group0", "Group0#2", "Group1", "Group1#2"]
    assert [k.name for k in model.get_graph_kernels()] != []
    assert len({k.name for k in model.get_graph_kernels()}) == 4


def test_reasons_name_each_delegate_and_the_code_is_the_first_ones() -> None:
    class Small(NamedDelegate):
        def supports(self, kernel: Kernel) -> Supported | Rejected | None:
            return Rejected(RejectCode.SHAPE, "it is too large")

    node = built(chain(1), named("a", None, Small), named("b", [])).get_partition().nodes[0]
    assert (node.device, node.code) == ("CPU", RejectCode.SHAPE)
    assert node.reason == "a: it is too large; b: 'n0' is not in the list"


def test_what_all_say_is_said_once() -> None:
    node = built(chain(1), named("a", []), named("b", [])).get_partition().nodes[0]
    assert node.reason == "'n0' is not in the list"


def test_one_delegate_is_a_list_of_one() -> None:
    context, delegate = Context(), named("a", None)
    context.set_delegate(delegate)
    assert (context.delegates, context.delegate) == ((delegate,), delegate)
    context.set_delegate(None)
    assert (context.delegates, context.delegate) == ((), None)
    context.set_delegates([delegate, other := named("b", None)])
    assert (context.delegates, context.delegate) == ((delegate, other), delegate)


def test_delegates_of_one_name_and_of_the_cpus_are_rejected() -> None:
    context = Context()
    with pytest.raises(ValueError, match="must have different names, 2 are called 'a'"):
        context.set_delegates([named("a", None), named("a", None)])
    with pytest.raises(ValueError, match="No delegate may be called 'cpu'"):
        context.set_delegates([named("cpu", None)])
    with pytest.raises(TypeError, match="must be Delegate"):
        context.set_delegates(["npu"])  # type: ignore[list-item]
    assert context.delegates == ()
    context.set_delegates([named("a", None), second := named("b", None)])
    second.name = "a"
    with pytest.raises(ValueError, match="2 are called 'a'"):
        Model().build_from_graph(chain(1), context)


class Absent(NamedDelegate):
    def init(self) -> None:
        raise DelegateUnavailable("no such chip on the bus")


def test_one_that_is_not_there_leaves_its_part_to_the_others() -> None:
    graph = chain(3)
    with pytest.warns(DelegateWarning, match="other delegates and the CPU run everything: no such chip"):
        model = built(graph, named("a", None, Absent), named("b", ["n0", "n1"]))
    assert devices(model) == {"n0": "b", "n1": "b", "n2": "CPU"}
    node = model.get_partition().nodes[2]
    assert node.code is RejectCode.NO_DEVICE
    assert node.reason == "a: the device of delegate 'a' is not available; b: 'n2' is not in the list"
    assert_same_as_cpu(graph, model)


def test_strict_allows_several_delegates_but_no_cpu() -> None:
    built(chain(3), named("a", ["n1"]), named("b", ["n0", "n2"]), strict=True)
    with pytest.raises(FallbackError, match=r"1 kernel would run on the CPU: 'n2'"):
        built(chain(3), named("a", ["n1"]), named("b", ["n0"]), strict=True)
    with pytest.warns(DelegateWarning):
        built(chain(3), named("a", None, Absent), named("b", None), strict=True)
    with pytest.warns(DelegateWarning), pytest.raises(FallbackError) as caught:
        built(chain(3), named("a", None, Absent), named("b", ["n0"]), strict=True)
    assert isinstance(caught.value.__cause__, DelegateUnavailable)
    with pytest.raises(DelegateUnavailable):
        built(chain(3), named("a", None, Absent), named("b", None, Absent), strict=True)


def test_nodes_that_nobody_can_run_name_all_delegates() -> None:
    x = value("x")
    odd = Node("odd", make_primitive("Custom", type="Odd"), [x], [value("odd:0")])
    graph = Graph("main", [x], list(odd.outputs), [odd])
    with pytest.raises(UnsupportedOperatorError, match="delegate 'a' or 'b' takes none of them"):
        built(graph, named("a", []), named("b", []))


def test_on_delegate_error_is_for_each_of_them() -> None:
    first, second = Failing(raising(DelegateExecuteError("hot"))), Failing(raising(DelegateExecuteError("cold")))
    first.names, second.names = ["n0", "n1"], ["n3"]
    first.name, second.name = "a", "b"
    model = built(chain(5), first, second, on_delegate_error="fallback")
    x = np.ones((2, 3), np.float32)
    got, said = run(model, x=x)
    np.testing.assert_array_equal(got[0], x + 15)
    assert len(said) == 2
    assert [s.status for s in model.get_partition().subgraphs] == ["failed", "failed"]


class ForkingNamed(NamedDelegate):
    """Its graph kernels can follow new shapes."""

    def create_graph_kernel(self, run: Sequence[Kernel], model: object) -> Kernel:
        boundary = model.boundary_of(run)  # type: ignore[attr-defined]
        self.made.append(made := Adding(f"{self.name}{len(self.made)}", boundary.inputs, boundary.outputs, len(run)))  # type: ignore[arg-type]
        return made


class Adding(Kernel):
    """Adds 100 for each kernel it stands for; forks share the count."""

    def __init__(self, name: str, inputs: Sequence[object], outputs: Sequence[object], count: int) -> None:
        super().__init__(name, "Adding", inputs, outputs)  # type: ignore[arg-type]
        self.count = count

    def execute(self) -> None:
        self.outputs[0].data = (self.inputs[0].data + 100 * self.count).astype(np.float32)

    def resize(self) -> None:
        return None

    def fork(self, inputs: Sequence[object], outputs: Sequence[object]) -> Kernel:
        return Adding(self.name, inputs, outputs, self.count)


def test_resize_takes_over_the_graph_kernels_of_each() -> None:
    first, second = named("a", ["n0"], ForkingNamed), named("b", ["n1", "n2"], ForkingNamed)
    model = built(chain(4), first, second)
    model.resize(model.get_inputs(), [[5, 3]])
    assert (len(first.made), len(second.made)) == (1, 1)
    got = model.predict({"x": np.zeros((5, 3), np.float32)})[0].get_data_to_numpy()
    np.testing.assert_array_equal(got, np.full((5, 3), 304))
    assert [s.delegate for s in model.get_partition().subgraphs] == ["a", "b"]


def test_resize_takes_over_no_graph_kernel_of_another_delegate() -> None:
    class Narrow(ForkingNamed):
        def supports(self, kernel: Kernel) -> Supported | Rejected | None:
            rows = kernel.inputs[0].shape[0]
            return super().supports(kernel) if rows == 2 else Rejected(RejectCode.SHAPE, f"{rows} rows")

    first, second = named("a", ["n0"], Narrow), named("b", None, ForkingNamed)
    model = built(chain(1), first, second)
    assert devices(model) == {"n0": "a"}
    model.resize(model.get_inputs(), [[5, 3]])
    assert devices(model) == {"n0": "b"}
    assert [type(k).__name__ for k in second.made] == ["Adding"]


def test_a_resize_that_fails_releases_nothing_that_the_old_plan_runs() -> None:
    class Releasing(Adding):
        def release(self) -> None:
            released.append(self.name)

        def fork(self, inputs: Sequence[object], outputs: Sequence[object]) -> Kernel:
            return Releasing(self.name, inputs, outputs, self.count)

    class Keeping(ForkingNamed):
        def create_graph_kernel(self, run: Sequence[Kernel], model: object) -> Kernel:
            boundary = model.boundary_of(run)  # type: ignore[attr-defined]
            return Releasing(f"{self.name}-{run[0].name}", boundary.inputs, boundary.outputs, len(run))

    released: list[str] = []
    context = Context()
    context.set_delegates([named("a", ["n0"], Keeping), second := named("b", ["n1"], Keeping)])
    context.strict = True
    model = Model()
    model.build_from_graph(chain(2), context)
    second.names = []
    with pytest.raises(FallbackError):
        model.resize(model.get_inputs(), [[5, 3]])
    assert released == []
    second.names = ["n1"]
    model.resize(model.get_inputs(), [[5, 3]])
    got = model.predict({"x": np.zeros((5, 3), np.float32)})[0].get_data_to_numpy()
    np.testing.assert_array_equal(got, np.full((5, 3), 200))


def test_graphs_of_control_flow_are_each_for_all_delegates() -> None:
    graph = control.if_else(lambda x: control.add("plus", x, 10), lambda x: control.multiply("times", x, 3))
    model = built(graph, named("a", ["plus"]), named("b", ["times"]))
    found = {n.name: (n.device, n.graph) for n in model.get_partition().nodes}
    assert (found["plus"], found["times"]) == (("a", "then"), ("b", "otherwise"))
    assert {found[name][0] for name in ("yes", "no", "choose", "run")} == {"CPU"}
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for flag, expected in ((True, x + 10), (False, x * 3)):
        (got,) = model.predict({"c": np.array(flag), "x": x})
        np.testing.assert_array_equal(got.get_data_to_numpy(), expected)


def test_two_npus_share_a_model() -> None:
    x = value("x", (1, 4, 4, 8))
    first = unary("first", x)
    second = unary("second", first.outputs[0], "SIGMOID")
    third = unary("third", second.outputs[0])
    graph = Graph("main", [x], list(third.outputs), [first, second, third])
    small, large = NPUDelegate(), NPUDelegate()
    small.name = "small"
    context = Context()
    context.set_delegates([large, small])
    context.partition = type(context.partition)(affinity={"second": "small"})
    model = Model()
    model.build_from_graph(graph, context)
    assert devices(model) == {"first": "npu", "second": "small", "third": "npu"}
    assert len({s.name for s in model.get_partition().subgraphs}) == 3
    np.testing.assert_allclose(predict(model)[0], predict(built(graph))[0], atol=2e-3)


def test_the_report_says_what_each_took_and_why_no_order_has_fewer() -> None:
    report = partition_report(built(chain(5), named("a", ["n1", "n3"]), named("b", ["n0", "n2", "n4"])))
    assert report.delegate == "a, b"
    first, second = report.delegates
    assert (first.name, first.kernels, first.subgraphs, first.minimum_subgraphs) == ("a", 2, 2, 2)
    assert first.minimum_proof == ("n1", "n2", "n3")
    assert (second.name, second.kernels, second.subgraphs, second.minimum_subgraphs) == ("b", 3, 3, 3)
    assert second.minimum_proof == ("n0", "Group0", "n2", "Group1", "n4")
    assert report.minimum_subgraphs == 5
    text = report.to_text()
    assert "delegate   a, b" in text
    assert "subgraphs  5 (the fewest possible for each delegate in its turn)" in text
    assert "no order has fewer than 3 subgraphs of 'b': others stand between the 3 blocks of this path:" in text
    assert report.to_dict()["subgraphs"][0]["delegate"] == "b"


@st.composite
def cases(draw: st.DrawFn) -> tuple[Graph, list[list[str]]]:
    """A graph of up to eight additions of what is there already, and what each of three delegates claims."""
    x = value("x")
    nodes: list[Node] = []
    values = [x]
    for i in range(draw(st.integers(1, 8))):
        a, b = (values[draw(st.integers(0, len(values) - 1))] for _ in range(2))
        nodes.append(binary(f"n{i}", a, b))
        values.append(nodes[-1].outputs[0])
    names = [n.name for n in nodes]
    claims = [draw(st.lists(st.sampled_from(names), unique=True)) for _ in range(3)]
    return Graph("main", [x], values[1:], nodes), claims


def fewest_runs(before: dict[str, set[str]], wanted: set[str]) -> int:
    """The fewest stretches of ``wanted`` over all orders, by trying what may come next in every state."""
    best: dict[tuple[frozenset[str], bool], int] = {(frozenset(), False): 0}
    for _ in before:
        following: dict[tuple[frozenset[str], bool], int] = {}
        for (done, inside), runs in best.items():
            for node in before.keys() - done:
                if before[node] <= done:
                    state = (done | {node}, node in wanted)
                    count = runs + (node in wanted and not inside)
                    following[state] = min(count, following.get(state, count))
        best = following
    return min(best.values())


def contracted(graph: Graph, groups: Sequence[Sequence[str]]) -> dict[str, set[str]]:
    """What each node comes after, each group made one node that has the name of its first."""
    home = {name: group[0] for group in groups for name in group}
    maker = {v: n.name for n in graph.nodes for v in n.outputs}
    before: dict[str, set[str]] = {home.get(n.name, n.name): set() for n in graph.nodes}
    for node in graph.nodes:
        here = home.get(node.name, node.name)
        sources = {maker[v] for v in node.inputs if v is not None and v in maker}
        before[here] |= {home.get(name, name) for name in sources} - {here}
    return before


@settings(max_examples=150, deadline=None)
@given(cases())
def test_each_has_the_fewest_subgraphs_given_what_the_earlier_took(case: tuple[Graph, list[list[str]]]) -> None:
    graph, claims = case
    delegates = [named(name, names) for name, names in zip("abc", claims, strict=True)]
    model = built(graph, *delegates)
    record = model.get_partition()
    where = devices(model)
    groups: list[list[str]] = []
    for delegate, taken in zip(record.delegates, claims, strict=True):
        mine = {name for name, device in where.items() if device == delegate.name}
        assert mine == {name for name in taken if not any(name in group for group in groups)}
        count = fewest_runs(contracted(graph, groups), mine)
        assert (delegate.subgraphs, delegate.minimum_subgraphs) == (count, count)
        groups += parts(record, delegate.name)
    assert [n.code is None for n in record.nodes] == [n.device != "CPU" for n in record.nodes]
    assert_same_as_cpu(graph, model)
    again = built(graph, *(named(name, names) for name, names in zip("abc", claims, strict=True)))
    assert model_violations(model, again) == []
    assert again.get_partition() == record


def test_records_are_data() -> None:
    record = built(chain(4), named("a", ["n0"]), named("b", ["n2"])).get_partition()
    assert pickle.loads(pickle.dumps(record)) == record
    assert len({record, copy.deepcopy(record)}) == 1


def test_nothing_warns_where_nothing_fails() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        built(chain(3), named("a", ["n1"]), named("b", ["n2"]))


def test_effects_keep_their_order_in_graph_kernels() -> None:
    from lite_delegate.runtime.binding.effects import effect_edges

    class Plain(Kernel):
        def execute(self) -> None:
            raise AssertionError("never run here")

    asserts = [Plain(f"k{i}", "Assert", [], []) for i in range(3)]
    quiet = Plain("quiet", "AddFusion", [], [])
    group = Plain("group", "Group", [], [])
    assert effect_edges([asserts[0], group, asserts[2]], (), {group: [quiet, asserts[1]]}) == [set(), {0}, {1}]
    assert effect_edges([asserts[0], group, asserts[2]], (), {group: [quiet]}) == [set(), set(), {0}]


def test_graph_kernels_come_after_all_that_their_nodes_read() -> None:
    """Even where the graph kernel does not read it: the CPU may have to stand in."""
    from lite_delegate import DataType, Tensor
    from lite_delegate.runtime.planning.claims.partitioning import partition_graph

    class Plain(Kernel):
        def execute(self) -> None:
            raise AssertionError("never run here")

    t, u, v = (Tensor.describe(name, DataType.FLOAT32, (1,)) for name in "tuv")
    first, inner, last = Plain("a", "A", [], [t]), Plain("b", "B", [t], [u]), Plain("c", "C", [u], [v])
    group = Plain("group", "Group", [], [v])
    kernels, claimed = [first, group], [False, False]
    assert partition_graph(kernels, claimed).predecessors == ((), ())
    assert partition_graph(kernels, claimed, replaced={group: [inner, last]}).predecessors == ((), (0,))
