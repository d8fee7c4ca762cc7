"""Comparing delegates with planted faults: what is named, and what only inherited."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from lite_delegate_kernels import pack_strings

from lite_delegate import Boundary, Context, DataType, DelegateModel, InputError, Kernel, Model, PartitionOptions
from lite_delegate.compare import CompareOptions, Comparison, ComparisonReport, Outcome, compare
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive
from tests.compare.planted import Fault, OnlyTogether, Planted, PlantedKernel, Raising, Walking, built, scaled
from tests.present import present
from tests.runtime.binding.test_quantization import dynamic
from tests.runtime.control_graphs import if_else, while_loop
from tests.runtime.control_graphs import node as control_node
from tests.runtime.graphs import binary, chain, unary, value

X = {"x": np.linspace(0.5, 3, 6, dtype=np.float32).reshape(2, 3)}
KERNELS, BISECT = CompareOptions(kernels=True), CompareOptions(bisect=True)


def outcomes(comparisons: tuple[Comparison, ...]) -> dict[str, str]:
    return {c.name: str(c.outcome) for c in comparisons}


def report(graph: Graph, delegate: Planted, options: CompareOptions | None = None) -> ComparisonReport:
    return compare(built(graph, delegate), X, options)


def test_without_a_fault_all_is_ok() -> None:
    found = report(chain(4), Planted(), KERNELS)
    assert found.passed
    assert outcomes(found.subgraphs) == {"Planted0": "ok"}
    assert outcomes(found.subgraphs[0].parts) == {f"n{i}": "ok" for i in range(4)}
    (tensor,) = found.subgraphs[0].tensors
    assert (present(tensor.own).max_abs, present(tensor.inherited).max_abs, present(tensor.total).max_abs) == (0, 0, 0)


def test_the_faulty_kernel_is_named_and_those_behind_it_inherit() -> None:
    found = report(chain(6), Planted({"n2": scaled}), KERNELS)
    assert not found.passed
    assert outcomes(found.subgraphs) == {"Planted0": "wrong"}
    assert outcomes(found.subgraphs[0].parts) == {
        "n0": "ok",
        "n1": "ok",
        "n2": "wrong",
        "n3": "inherited",
        "n4": "inherited",
        "n5": "inherited",
    }


def test_the_three_errors_are_what_they_are_said_to_be() -> None:
    """y = ((x + 1) * 1.05 + 2) * 1.05 over two subgraphs with a kernel of the CPU between them."""
    graph = chain(3)
    found = report(graph, Planted({"n0": scaled, "n2": scaled}, names=("n0", "n2")))
    first, second = (s.tensors[0] for s in found.subgraphs)
    x = X["x"].astype(np.float64)
    assert present(first.own).max_abs == pytest.approx(0.05 * (x + 1).max(), rel=1e-5)
    assert (present(first.inherited).max_abs, present(first.total).max_abs) == (0, present(first.own).max_abs)
    given = (x + 1) * 1.05 + 2
    assert present(second.own).max_abs == pytest.approx((0.05 * (given + 3)).max(), rel=1e-5)
    assert present(second.inherited).max_abs == pytest.approx((0.05 * (x + 1)).max(), rel=1e-5)
    assert present(second.total).max_abs == pytest.approx(((given + 3) * 1.05 - (x + 6)).max(), rel=1e-5)
    (output,) = found.outputs
    assert (output.own, output.inherited, output.total) == (None, None, second.total)


def test_a_subgraph_behind_a_wrong_one_inherits() -> None:
    found = report(chain(3), Planted({"n0": scaled}, names=("n0", "n2")))
    assert outcomes(found.subgraphs) == {"Planted0": "wrong", "Planted1": "inherited"}
    assert present(found.subgraphs[1].tensors[0].own).differing == 0
    assert [o.outcome for o in found.outputs] == [Outcome.WRONG]


@pytest.mark.parametrize("place", range(8))
def test_splitting_finds_the_kernel_in_few_builds(place: int) -> None:
    delegate = Planted({f"n{place}": scaled})
    model = built(chain(8), delegate)
    delegate.built.clear()
    (culprit,) = compare(model, X, BISECT).culprits
    assert culprit.found.kernels == (f"n{place}",)
    assert not culprit.is_together
    assert culprit.builds == len(delegate.built) <= 6
    assert culprit.found.outcome is Outcome.WRONG


def test_kernels_that_are_wrong_only_together_are_the_smallest_stretch() -> None:
    (culprit,) = report(chain(9), OnlyTogether("n2", "n5"), BISECT).culprits
    assert culprit.found.kernels == ("n2", "n3", "n4", "n5")
    assert culprit.is_together
    parts = report(chain(9), OnlyTogether("n2", "n5"), KERNELS).subgraphs[0].parts
    assert set(outcomes(parts).values()) == {"ok"}


def test_a_fault_that_fades_is_found_where_kernels_are_compared() -> None:
    """A step that is 1 for all positive numbers hides it: the subgraph as a whole is right."""
    x = value("x")
    doubled = binary("doubled", x, x)
    positive = Node(
        "positive",
        make_primitive("Greater"),
        [doubled.outputs[0], constant("z", np.zeros(1, np.float32))],
        [Value("y", DataType.BOOL, (2, 3))],
    )
    graph = Graph("g", [x], positive.outputs, [doubled, positive])
    delegate = Planted({"doubled": scaled})
    whole = report(graph, delegate, BISECT)
    assert (whole.outcome, whole.culprits) == (Outcome.OK, ())
    found = report(graph, delegate, CompareOptions(kernels=True, bisect=True))
    assert outcomes(found.subgraphs) == {"Planted0": "ok"}
    (culprit,) = found.culprits
    assert (culprit.found.kernels, culprit.found.outcome, culprit.builds) == (("doubled",), Outcome.WRONG, 1)
    assert "'doubled' (AddFusion) is wrong by itself" in found.to_text()


def test_every_wrong_subgraph_is_split() -> None:
    found = report(chain(5), Planted({"n1": scaled, "n4": scaled}, names=("n0", "n1", "n3", "n4")), BISECT)
    assert [(c.subgraph, c.found.kernels) for c in found.culprits] == [("Planted0", ("n1",)), ("Planted1", ("n4",))]


def test_a_delegate_that_overrides_build() -> None:
    found = report(chain(6), Walking({"n3": scaled}), CompareOptions(kernels=True, bisect=True))
    assert [c.found.kernels for c in found.culprits] == [("n3",)]
    assert outcomes(found.subgraphs[0].parts)["n3"] == "wrong"


def test_a_device_that_fails_is_found_and_the_reference_goes_on() -> None:
    found = report(chain(5), Raising({"n1": scaled}, names=("n0", "n1", "n3")), BISECT)
    assert outcomes(found.subgraphs) == {"Planted0": "failed", "Planted1": "ok"}
    assert "the board is hot" in found.subgraphs[0].detail
    assert [c.found.kernels for c in found.culprits] == [("n1",)]
    assert not found.passed


class SpoilingKernel(PlantedKernel):
    """Right, but zeroes what it was given."""

    def execute(self) -> None:
        super().execute()
        self.inputs[0].data[...] = 0


class Spoiling(Planted):
    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        return SpoilingKernel("S", model.boundary_of(run), run, {})


def test_a_delegate_that_writes_to_its_input_has_failed() -> None:
    given = X["x"].copy()
    report = compare(built(chain(2), Spoiling()), {"x": given}, CompareOptions(kernels=True, bisect=True))
    (found,) = report.subgraphs
    assert (found.outcome, found.detail) == (Outcome.FAILED, "it wrote to its input 0")
    assert present(found.tensors[0].own).differing == 0
    assert [(p.outcome, p.detail) for p in found.parts] == [(Outcome.FAILED, "it wrote to its input 0")] * 2
    assert [present(p.tensors[0].total).differing for p in found.parts] == [0, 0]
    assert [c.found.kernels for c in report.culprits] == [("n0",)]
    np.testing.assert_array_equal(given, X["x"])


@pytest.mark.parametrize(("fault", "detail"), [(lambda y: y[:1], "must have shape"), (lambda y: y * np.nan, "")])
def test_wrong_shapes_and_nan(fault: Callable[[np.ndarray], np.ndarray], detail: str) -> None:
    found = report(chain(2), Planted({"n1": fault}))
    assert not found.passed
    assert detail in found.subgraphs[0].detail


def test_nan_that_came_in_is_inherited() -> None:
    found = report(chain(3), Planted({"n0": lambda y: y * np.float32(np.nan)}, names=("n0", "n2")))
    assert outcomes(found.subgraphs) == {"Planted0": "wrong", "Planted1": "inherited"}
    assert present(found.subgraphs[1].tensors[0].total).unlike == 6


def test_the_user_s_tolerance_is_numpy_s_rule() -> None:
    delegate = Planted({"n0": lambda y: np.asarray(y + np.float32(0.125))})
    graph = Graph("g", [value("x")], [], [])
    graph.nodes.append(unary("n0", graph.inputs[0]))
    graph.outputs.append(graph.nodes[0].outputs[0])
    want = X["x"]
    for rtol, atol in ((0.1, None), (None, 0.125), (None, 0.124), (0.01, 0.12), (0.3, None)):
        found = compare(built(graph, delegate), X, CompareOptions(rtol, atol)).subgraphs[0].tensors[0]
        expected = ~np.isclose(want + np.float32(0.125), want, rtol or 0, atol or 0)
        assert found.beyond == expected.sum()
        assert (found.rtol, found.atol) == (rtol or 0, atol or 0)


def test_several_outputs_and_empty_ones() -> None:
    x, empty = value("x"), value("empty", (0, 3))
    split = Node(
        "split",
        make_primitive("Split", output_num=2, axis=1, size_splits=(1, 2)),
        [x],
        [value("a", (2, 1)), value("b", (2, 2))],
    )
    nodes = [split, unary("r", empty)]
    graph = Graph("g", [x, empty], [*split.outputs, nodes[1].outputs[0]], nodes)
    model = built(graph, Planted({"split": scaled}))
    found = compare(model, {**X, "empty": np.zeros((0, 3), np.float32)})
    assert [(t.name, t.outcome) for t in found.outputs] == [("a", "wrong"), ("b", "wrong"), ("r:0", "ok")]
    assert present(found.outputs[2].total).elements == 0


def test_a_constant_and_an_input_as_outputs_of_the_model() -> None:
    graph = chain(2)
    graph.outputs.append(constant("c", np.ones(2, np.float32)))
    graph.outputs.append(graph.inputs[0])
    found = report(graph, Planted({"n0": scaled}))
    assert [t.outcome for t in found.outputs] == [Outcome.WRONG, Outcome.OK, Outcome.OK]


def test_after_resize_the_new_shapes_are_compared() -> None:
    model = built(chain(2), Planted({"n1": scaled}))
    model.resize(model.get_inputs(), [[4, 5]])
    found = compare(model, {"x": np.ones((4, 5), np.float32)}, CompareOptions(kernels=True, bisect=True))
    assert found.subgraphs[0].tensors[0].shape == (4, 5)
    assert [c.found.kernels for c in found.culprits] == [("n1",)]


def test_open_dimensions_may_have_been_others_before() -> None:
    """A graph kernel that cannot fork writes to the tensors of the model, which must not keep shapes."""
    graph = chain(3, (-1, 3))
    model = built(graph, Planted({"n1": scaled}))
    for rows in (2, 5, 4):
        found = compare(model, {"x": np.ones((rows, 3), np.float32)}, CompareOptions(kernels=True, bisect=True))
        assert outcomes(found.subgraphs[0].parts) == {"n0": "ok", "n1": "wrong", "n2": "inherited"}
        assert [c.found.kernels for c in found.culprits] == [("n1",)]
        assert model.get_outputs()[0].shape == [-1, 3]


def test_kernels_behind_one_of_another_shape_get_the_reference_s_values() -> None:
    found = report(chain(3), Planted({"n1": lambda y: y.T}), CompareOptions(kernels=True, bisect=True))
    assert outcomes(found.subgraphs[0].parts) == {"n0": "ok", "n1": "failed", "n2": "ok"}
    assert "expected float32 [2, 3], got float32 [3, 2]" in found.subgraphs[0].parts[1].tensors[0].detail


def test_what_a_subgraph_writes_later_blames_nobody_before() -> None:
    """The second delegate spoils what the first gave; that was right when it was given."""
    x = value("x")
    first = unary("first", x, "SIGMOID")
    second = unary("second", first.outputs[0], "TANH")
    graph = Graph("g", [x], [first.outputs[0], second.outputs[0]], [first, second])
    context, model = Context(), Model()
    good, bad = Planted(names=("first",)), Spoiling(names=("second",))
    good.name, bad.name = "good", "bad"
    context.set_delegates([good, bad])
    context.on_delegate_error = "fallback"
    model.build_from_graph(graph, context)
    found = compare(model, X)
    assert {s.kernels: str(s.outcome) for s in found.subgraphs} == {("first",): "ok", ("second",): "failed"}


@pytest.mark.parametrize("length", [1, 4])
def test_a_fault_that_does_not_come_back_by_itself_is_not_said_to_be_found(length: int) -> None:
    class Moody(Planted):
        def faults_of(self, run: Sequence[Kernel]) -> dict[str, Fault]:
            return self.faults if len(self.built) == 1 else {}

    last = f"n{length - 1}"
    found = report(chain(length), Moody({last: scaled}), BISECT)
    (culprit,) = found.culprits
    assert (culprit.found.outcome, culprit.is_together) == (Outcome.OK, False)
    assert culprit.note == "the subgraph built by itself from the same nodes is not wrong"
    text = found.to_text()
    assert f"'{last}' (AddFusion): wrong in the model, not by itself" in text
    assert "is wrong by itself" not in text
    assert "together" not in text


def test_every_run_of_a_loop_is_compared() -> None:
    def step(i: Value, x: Value) -> list[Node]:
        one = constant("one", np.ones(1, np.float32))
        return [control_node("plus", "AddFusion", [x, one])]

    model = built(while_loop(step), Planted({"plus": scaled}, names=("plus",)))
    inputs = {"n": np.array(3, np.int32), "x": np.ones(4, np.float32)}
    found = compare(model, inputs, BISECT)
    assert [(s.call, s.outcome) for s in found.subgraphs] == [(1, "wrong"), (2, "wrong"), (3, "wrong")]
    assert len(found.culprits) == 1
    assert present(found.subgraphs[1].tensors[0].inherited).max_abs == pytest.approx(0.1, rel=1e-5)
    few = compare(model, inputs, CompareOptions(max_calls=2))
    assert [s.call for s in few.subgraphs] == [1, 2]
    assert any("ran 3 times; the first 2 are compared" in note for note in few.notes)
    none = compare(model, {**inputs, "n": np.array(0, np.int32)})
    assert (none.subgraphs, none.notes) == (
        (),
        ("Subgraph 'Planted0' did not run for these inputs, so it is not compared.",),
    )


def test_runs_of_a_loop_may_have_other_shapes() -> None:
    def step(i: Value, x: Value) -> list[Node]:
        plus = control_node("plus", "AddFusion", [x, constant("one", np.ones(1, np.float32))])
        return [plus, control_node("grown", "Concat", [plus.outputs[0], plus.outputs[0]], axis=0)]

    model = built(while_loop(step, None), Planted({"grown": scaled}, names=("plus", "grown")))
    found = compare(model, {"n": np.array(3, np.int32), "x": np.ones(4, np.float32)}, KERNELS)
    assert [s.tensors[0].shape for s in found.subgraphs] == [(8,), (16,), (32,)]
    for subgraph in found.subgraphs:
        parts = outcomes(subgraph.parts)
        assert (parts["plus"] in ("ok", "inherited"), parts["grown"]) == (True, "wrong")


def test_a_branch_that_only_the_delegate_takes_has_no_total_error() -> None:
    """A fault that turns the condition: the reference run never gets to the other branch."""
    graph = if_else(lambda x: control_node("then", "AddFusion", [x, x]), lambda x: control_node("other", "Abs", [x]))
    condition = graph.inputs[0]
    turned = Value("turned", DataType.BOOL, ())
    graph.nodes.insert(0, Node("not", make_primitive("LogicalNot"), [condition], [turned]))
    switch = next(n for n in graph.nodes if n.op_type == "Switch")
    switch.inputs[0] = turned
    delegate = Planted({"not": np.logical_not}, names=("not", "then", "other"))
    found = compare(built(graph, delegate), {"c": np.array(True), **X})
    assert {s.kernels: str(s.outcome) for s in found.subgraphs} == {("not",): "wrong", ("then",): "ok"}
    lone = found.subgraphs[1].tensors[0]
    assert (lone.inherited, lone.total) == (None, None)
    assert "the reference run did not get here" in lone.detail
    assert any("never on the delegate" in note for note in found.notes)


def test_what_the_cpu_cannot_run_is_said_to_be_left_out() -> None:
    x, y = value("x"), value("y")
    graph = Graph("g", [x], [y], [Node("odd", make_primitive("Custom", type="mine"), [x], [y])])

    class Copying(Kernel):
        def execute(self) -> None:
            self.outputs[0].data = self.inputs[0].data

    class Own(Planted):
        def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
            boundary = model.boundary_of(run)
            return Copying("Planted0", "Planted", boundary.inputs, boundary.outputs)

    found = compare(built(graph, Own()), X, CompareOptions(kernels=True, bisect=True))
    assert outcomes(found.subgraphs) == {"Planted0": "not compared"}
    assert "no kernel for 'odd' (Custom)" in found.subgraphs[0].detail
    assert not found.passed


def test_a_kernel_that_is_not_taken_alone_is_said_to_be() -> None:
    class Pairs(Planted):
        def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
            if len(run) == 1:
                raise ValueError("needs two")
            return super().create_graph_kernel(run, model)

    found = report(chain(4), Pairs({"n1": scaled}), CompareOptions(kernels=True, bisect=True))
    assert outcomes(found.subgraphs[0].parts) == {f"n{i}": "not compared" for i in range(4)}
    (culprit,) = found.culprits
    assert culprit.found.kernels == ("n0", "n1")
    assert "needs two" in culprit.note


def test_nothing_delegated_is_said() -> None:
    found = report(chain(2), Planted(names=()))
    assert found.passed
    assert "Nothing is delegated, so there is nothing to compare." in found.notes


@pytest.mark.parametrize(
    ("delegate", "mode", "words"),
    [(None, "fallback", "no delegate"), (Planted(), "raise", "on_delegate_error = 'fallback'")],
    ids=["none", "raise"],
)
def test_models_that_cannot_be_compared(delegate: Planted | None, mode: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        compare(built(chain(2), delegate, mode), X)


@pytest.mark.parametrize("options", [CompareOptions(rtol=-1), CompareOptions(atol=float("nan"))], ids=["rtol", "atol"])
def test_tolerances_that_are_none(options: CompareOptions) -> None:
    with pytest.raises(InputError, match="must be at least 0"):
        compare(built(chain(2), Planted()), X, options)


def test_a_cpu_kernel_that_stumbles_over_wrong_numbers_ends_the_comparison() -> None:
    model = built(indexing(), Planted({"add": lambda y: y + 99}, names=("add",)))
    found = compare(model, {**X, "i": np.array([1], np.int32)})
    assert "gather" in found.error
    assert (found.outcome, found.outputs) == (Outcome.FAILED, ())
    assert outcomes(found.subgraphs) == {"Planted0": "wrong"}


def test_integers_keep_what_they_stand_for_between_kernels() -> None:
    """What DynamicQuant gives means something to the next kernel alone when its scale comes with it."""
    graph, _ = dynamic(symmetric=False)
    first, second = (node.name for node in graph.nodes)
    x = np.random.default_rng(0).normal(size=(4, 6)).astype(np.float32)
    model = built(graph, Planted({second: scaled}))
    found = compare(model, {"x": x}, CompareOptions(kernels=True, bisect=True))
    assert outcomes(found.subgraphs[0].parts) == {first: "ok", second: "wrong"}
    assert [c.found.kernels for c in found.culprits] == [(second,)]


def test_strings() -> None:
    sentence = Value("sentence", DataType.STRING, (1,))
    clean = Node("clean", make_primitive("CustomNormalize"), [sentence], [Value("words", DataType.STRING, None)])
    graph = Graph("g", [sentence], clean.outputs, [clean])
    given = {"sentence": np.array(["Hi, you!"])}
    assert compare(built(graph, Planted()), given, KERNELS).passed
    found = compare(built(graph, Planted({"clean": lambda y: pack_strings([b"bye"])})), given, BISECT)
    assert [(t.outcome, present(t.total).differing) for t in found.outputs] == [(Outcome.WRONG, 1)]
    assert [c.found.kernels for c in found.culprits] == [("clean",)]


def indexing() -> Graph:
    """y = x[i + 0]: a wrong sum is an index that does not exist."""
    x, index, made = value("x"), Value("i", DataType.INT32, (1,)), Value("j", DataType.INT32, (1,))
    add = Node("add", make_primitive("AddFusion"), [index, constant("c", np.zeros(1, np.int32))], [made])
    axis = constant("axis", np.array(0, np.int32))
    gather = Node("gather", make_primitive("Gather"), [x, made, axis], [value("y", (1, 3))])
    return Graph("g", [x, index], gather.outputs, [add, gather])


class Clipping(Planted):
    """Takes any index."""

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        kernel = super().create_graph_kernel(run, model)
        execute = kernel.execute

        def clipped() -> None:
            for tensor in kernel.inputs:
                if tensor.name == "j":
                    tensor.bind(np.clip(tensor.data, 0, 1))
            execute()

        kernel.execute = clipped  # type: ignore[method-assign]
        return kernel


def one_kernel_each(graph: Graph, delegate: Planted) -> Model:
    context, model = Context(), Model()
    context.set_delegate(delegate)
    context.on_delegate_error = "fallback"
    context.partition = PartitionOptions(max_kernels_per_subgraph=1)
    model.build_from_graph(graph, context)
    return model


def test_inputs_that_only_the_device_can_take() -> None:
    """Wrong numbers that the reference kernels of the next subgraph reject leave nothing to compare it with."""
    model = one_kernel_each(indexing(), Clipping({"add": lambda y: np.asarray(y + np.int32(99))}))
    found = compare(model, {**X, "i": np.array([1], np.int32)}, KERNELS)
    assert outcomes(found.subgraphs) == {"Planted0": "wrong", "Planted1": "not compared"}
    assert "the CPU cannot run it on these inputs" in found.subgraphs[1].detail
    assert outcomes(found.subgraphs[1].parts) == {"gather": "not compared"}
    assert not found.passed


def test_inputs_that_nobody_can_take() -> None:
    model = one_kernel_each(indexing(), Planted({"add": lambda y: np.asarray(y + np.int32(99))}))
    found = compare(model, {**X, "i": np.array([1], np.int32)}, BISECT)
    assert outcomes(found.subgraphs) == {"Planted0": "wrong", "Planted1": "failed"}
    assert [c.found.kernels for c in found.culprits] == [("add",)]
    assert "gather" in found.error
    assert any(note.startswith("Subgraph 'Planted1' cannot be split") for note in found.notes)


def test_kernels_behind_one_that_cannot_be_compared_go_on_with_the_reference_s_values() -> None:
    graph = indexing()
    (y,) = graph.outputs
    graph.nodes.append(unary("last", y))
    graph.outputs = graph.nodes[-1].outputs
    model = built(graph, Clipping({"add": lambda y: np.asarray(y + np.int32(99)), "last": scaled}))
    (found,) = compare(model, {**X, "i": np.array([1], np.int32)}, KERNELS).subgraphs
    assert outcomes(found.parts) == {"add": "wrong", "gather": "not compared", "last": "wrong"}


class Counting(Planted):
    """Counts what is prepared and what is given back; rejects to prepare kernels of some names."""

    def __init__(self, rejected: str = "") -> None:
        super().__init__({"n1": scaled})
        self.rejected = rejected
        self.prepared = self.released = 0

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        return CountingKernel(self, model.boundary_of(run), run, self.faults)


class CountingKernel(PlantedKernel):
    def __init__(self, owner: Counting, boundary: Boundary, nodes: Sequence[Kernel], faults: dict[str, Fault]) -> None:
        super().__init__("C", boundary, nodes, faults)
        self.owner = owner
        self.is_ready = False

    def prepare(self) -> None:
        self.owner.prepared += 1
        if [node.name for node in self.nodes] == [self.owner.rejected]:
            raise MemoryError("no room")
        self.is_ready = True

    def execute(self) -> None:
        assert self.is_ready
        super().execute()

    def release(self) -> None:
        self.owner.released += 1


@pytest.mark.parametrize("rejected", ["", "n0"])
def test_parts_are_prepared_and_given_back(rejected: str) -> None:
    delegate = Counting(rejected)
    found = report(chain(4), delegate, CompareOptions(kernels=True, bisect=True))
    assert delegate.prepared == 4 + found.culprits[0].builds + 1
    assert delegate.released == delegate.prepared  # that of the model too, which nobody has any more
    assert found.culprits[0].found.kernels == ("n1",)


def test_kernels_that_cannot_be_compared_alone_are_no_failure() -> None:
    class Pairs(Planted):
        def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
            if len(run) == 1:
                raise ValueError("needs two")
            return super().create_graph_kernel(run, model)

    assert report(chain(2), Pairs(), KERNELS).passed


def test_an_error_that_the_cpu_makes_larger_counts_at_the_output() -> None:
    x, hundred = value("x"), constant("hundred", np.full(1, 100, np.float32))
    first = unary("first", x)
    second = binary("second", first.outputs[0], hundred, "MulFusion")
    graph = Graph("g", [x], second.outputs, [first, second])
    delegate = Planted({"first": lambda y: np.asarray(y + np.float32(2**-10))}, names=("first",))
    found = report(graph, delegate, CompareOptions(atol=2**-9))
    assert outcomes(found.subgraphs) == {"Planted0": "ok"}
    assert [o.outcome for o in found.outputs] == [Outcome.WRONG]
    assert not found.passed
