"""What becomes of a model when a delegate takes part of it: runs, fallback, failures, strictness."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from lite_delegate import (
    Boundary,
    Context,
    Delegate,
    DelegateBuildError,
    DelegateExecuteError,
    DelegateModel,
    DelegateUnavailable,
    DelegateWarning,
    FallbackError,
    Kernel,
    Model,
    RejectCode,
    Supported,
    UnsupportedOperatorError,
)
from lite_delegate.ir import Graph, Node, Value, make_primitive
from lite_delegate.testing.delegates import GroupKernel, NamedDelegate, WalkingDelegate
from tests.runtime.graphs import BrokenDelegate, binary, chain, unary, value


def built(graph: Graph, delegate: Delegate | None, *, strict: bool = False) -> Model:
    context = Context()
    context.set_delegate(delegate)
    context.strict = strict
    model = Model()
    model.build_from_graph(graph, context)
    return model


def predict(model: Model, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    arrays = {t.name: rng.normal(size=t.shape).astype(np.float32) for t in model.get_inputs()}
    return [t.get_data_to_numpy() for t in model.predict(arrays)]


def where(model: Model) -> dict[str, str | None]:
    return {n.name: n.subgraph for n in model.get_partition().nodes}


def assert_same_as_cpu(graph: Graph, model: Model) -> None:
    for got, want in zip(predict(model), predict(built(graph, None)), strict=True):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("delegate_class", [NamedDelegate, WalkingDelegate])
@pytest.mark.parametrize(
    ("claimed", "runs"),
    [
        (["n0", "n1", "n2", "n3", "n4"], [["n0", "n1", "n2", "n3", "n4"]]),
        (["n0", "n1"], [["n0", "n1"]]),
        (["n1", "n2"], [["n1", "n2"]]),
        (["n3", "n4"], [["n3", "n4"]]),
        (["n0", "n2", "n4"], [["n0"], ["n2"], ["n4"]]),
        ([], []),
    ],
    ids=["all", "head", "middle", "tail", "alternating", "none"],
)
def test_runs_of_a_chain(delegate_class: type[NamedDelegate], claimed: list[str], runs: list[list[str]]) -> None:
    graph = chain(5)
    model = built(graph, delegate_class(claimed))
    assert [list(s.kernels) for s in model.get_partition().subgraphs] == runs
    assert_same_as_cpu(graph, model)


@pytest.mark.parametrize("delegate_class", [NamedDelegate, WalkingDelegate])
def test_a_graph_of_one_node_is_taken(delegate_class: type[NamedDelegate]) -> None:
    graph = chain(1)
    model = built(graph, delegate_class(None))
    assert where(model) == {"n0": "Group0"}
    assert_same_as_cpu(graph, model)


def test_graph_kernels_are_prepared_once_before_the_first_prediction() -> None:
    delegate = NamedDelegate(None)
    model = built(chain(3), delegate)
    predict(model)
    predict(model)
    assert [k.prepared for k in delegate.made] == [1]


def interleaved() -> Graph:
    """Two branches listed alternately; cut as listed, the claimed kernels make three runs where two do."""
    x = value("x")
    a0, r0 = unary("a0", x), unary("r0", x, "SIGMOID")
    b0 = unary("b0", r0.outputs[0])
    r1 = unary("r1", b0.outputs[0], "TANH")
    b1 = unary("b1", r1.outputs[0])
    end = binary("end", a0.outputs[0], b1.outputs[0])
    return Graph("main", [x], list(end.outputs), [a0, r0, b0, r1, b1, end])


def test_order_is_chosen_for_the_fewest_runs() -> None:
    graph = interleaved()
    model = built(graph, NamedDelegate(["a0", "b0", "b1", "end"]))
    record = model.get_partition()
    assert [list(s.kernels) for s in record.subgraphs] == [["b0"], ["a0", "b1", "end"]]
    assert record.minimum_subgraphs == 2
    assert record.minimum_proof == ("b0", "r1", "b1")
    assert_same_as_cpu(graph, model)


def test_order_is_chosen_for_the_fewest_bytes_then() -> None:
    graph = interleaved()
    record = built(graph, NamedDelegate(["a0", "b0", "b1", "end"])).get_partition()
    # Each tensor has 24 bytes. r0 -> b0 -> r1 and x, r1 -> end: 5 cross. With a0 beside b0, x, r0, b0 and a0 would
    # cross there, and a0 once more.
    assert sum(s.boundary_bytes for s in record.subgraphs) == 5 * 24


def test_order_is_left_alone_when_the_delegate_states_no_claims() -> None:
    graph = interleaved()
    model = built(graph, WalkingDelegate(["a0", "b0", "b1", "end"]))
    record = model.get_partition()
    assert [n.name for n in record.nodes] == [n.name for n in graph.nodes]
    assert (len(record.subgraphs), record.minimum_subgraphs) == (3, 2)
    assert_same_as_cpu(graph, model)


def test_order_is_left_alone_when_some_claims_are_unknown() -> None:
    class Partly(WalkingDelegate):
        def supports(self, kernel: Kernel) -> Supported | None:
            return Supported() if kernel.name in ("a0", "b0") else None

    graph = interleaved()
    model = built(graph, Partly(["a0", "b0", "b1", "end"]))
    assert [n.name for n in model.get_partition().nodes] == [n.name for n in graph.nodes]
    assert len(model.get_partition().subgraphs) == 3


def test_diamond_with_a_rejected_arm() -> None:
    x = value("x")
    top = unary("top", x)
    left, right = unary("left", top.outputs[0], "TANH"), unary("right", top.outputs[0], "SIGMOID")
    join = binary("join", left.outputs[0], right.outputs[0])
    graph = Graph("main", [x], list(join.outputs), [top, left, right, join])
    model = built(graph, NamedDelegate(["top", "right", "join"]))
    assert [list(s.kernels) for s in model.get_partition().subgraphs] == [["top"], ["right", "join"]]
    assert_same_as_cpu(graph, model)


def test_output_used_inside_and_outside_a_run_and_as_model_output() -> None:
    x = value("x")
    first = unary("first", x)
    second = unary("second", first.outputs[0], "TANH")
    third = binary("third", first.outputs[0], second.outputs[0])
    graph = Graph("main", [x], [first.outputs[0], *third.outputs], [first, second, third])
    model = built(graph, NamedDelegate(["first", "second"]))
    (subgraph,) = model.get_partition().subgraphs
    assert subgraph.outputs == ("first:0", "second:0")
    assert_same_as_cpu(graph, model)


def test_graph_input_that_is_a_graph_output() -> None:
    x = value("x")
    node = unary("n", x)
    graph = Graph("main", [x], [x, *node.outputs], [node])
    model = built(graph, NamedDelegate(None))
    given = np.full((2, 3), -1, np.float32)
    passed, result = (t.get_data_to_numpy() for t in model.predict({"x": given}))
    np.testing.assert_array_equal(passed, given)
    np.testing.assert_array_equal(result, np.zeros((2, 3)))
    passed[:] = 7
    assert given[0, 0] == -1


def test_one_tensor_feeding_a_node_twice_crosses_once() -> None:
    x = value("x")
    double = binary("double", x, x)
    graph = Graph("main", [x], list(double.outputs), [double])
    model = built(graph, NamedDelegate(None))
    assert model.get_partition().subgraphs[0].inputs == ("x",)
    assert_same_as_cpu(graph, model)


def test_partial_use_of_several_outputs_at_a_boundary() -> None:
    x = value("x", (2, 4))
    parts = [value(f"part{i}", (2, 2)) for i in range(2)]
    split = Node("split", make_primitive("Split", output_num=2, axis=1), [x], list(parts))
    relu = unary("relu", parts[0])
    tanh = unary("tanh", parts[1], "TANH")
    graph = Graph("main", [x], [*relu.outputs, *tanh.outputs], [split, relu, tanh])
    model = built(graph, NamedDelegate(["split", "relu"]))
    assert model.get_partition().subgraphs[0].outputs == ("part1", "relu:0")
    assert_same_as_cpu(graph, model)


def test_one_delegate_object_serves_two_models() -> None:
    delegate = NamedDelegate(["n0", "n1"])
    first, second = built(chain(3), delegate), built(chain(4), delegate)
    assert delegate.inits == 2
    assert_same_as_cpu(chain(3), first)
    assert_same_as_cpu(chain(4), second)
    assert_same_as_cpu(chain(3), first)


def test_model_outlives_its_delegate() -> None:
    delegate = NamedDelegate(None)
    model = built(chain(2), delegate)
    del delegate
    assert_same_as_cpu(chain(2), model)


class AbsentDelegate(NamedDelegate):
    name = "absent"

    def init(self) -> None:
        raise DelegateUnavailable("no such chip on the bus")


def test_absent_device_falls_back_with_a_warning_and_a_reason() -> None:
    with pytest.warns(DelegateWarning, match="no such chip on the bus"):
        model = built(chain(2), AbsentDelegate(None))
    record = model.get_partition()
    assert [n.code for n in record.nodes] == [RejectCode.NO_DEVICE] * 2
    assert "no such chip" in record.notes[0]
    assert_same_as_cpu(chain(2), model)


def test_absent_device_is_an_error_when_strict() -> None:
    with pytest.raises(DelegateUnavailable, match="no such chip"):
        built(chain(2), AbsentDelegate(None), strict=True)


def test_other_failures_of_init_fail_the_build() -> None:
    class Faulty(NamedDelegate):
        def init(self) -> None:
            raise OSError("bus error")

    with pytest.raises(DelegateBuildError, match="init failed: OSError: bus error"):
        built(chain(2), Faulty(None))


def test_strict_names_the_first_nodes_that_would_fall_back() -> None:
    with pytest.raises(FallbackError, match=r"2 kernels would run on the CPU: 'n1' \(AddFusion\): .*; 'n2'"):
        built(chain(3), NamedDelegate(["n0"]), strict=True)
    assert where(built(chain(3), NamedDelegate(None), strict=True)) == dict.fromkeys(["n0", "n1", "n2"], "Group0")


def test_strict_without_a_delegate_is_a_fallback_too() -> None:
    with pytest.raises(FallbackError):
        built(chain(1), None, strict=True)


def fail_to_make(kernel: GroupKernel) -> Kernel:
    if kernel.kernels[0].name == "n2":
        raise MemoryError("scratchpad is full")
    return kernel


class UnpreparableKernel(GroupKernel):
    def prepare(self) -> None:
        raise DelegateBuildError("weights do not fit")


def fail_to_prepare(kernel: GroupKernel) -> Kernel:
    return (
        UnpreparableKernel(kernel.name, model_boundary(kernel), kernel.kernels) if kernel.name == "Group1" else kernel
    )


def model_boundary(kernel: GroupKernel) -> Boundary:
    return Boundary(kernel.inputs, kernel.outputs, ())


@pytest.mark.parametrize(
    ("make", "reason"), [(fail_to_make, "MemoryError: scratchpad is full"), (fail_to_prepare, "weights do not fit")]
)
def test_a_run_that_cannot_be_made_goes_back_and_the_others_stay(
    make: Callable[[GroupKernel], Kernel], reason: str
) -> None:
    graph = chain(5)
    with pytest.warns(DelegateWarning, match=reason):
        model = built(graph, BrokenDelegate(["n0", "n2", "n4"], make))
    nodes = {n.name: n for n in model.get_partition().nodes}
    assert (nodes["n2"].code, nodes["n2"].reason) == (RejectCode.COMPILE_FAILED, reason)
    assert nodes["n0"].subgraph == "Group0"
    assert nodes["n4"].subgraph is not None
    assert_same_as_cpu(graph, model)


def divide_by_zero(kernel: GroupKernel) -> Kernel:
    raise ZeroDivisionError


def test_a_run_that_cannot_be_made_is_an_error_when_strict() -> None:
    with pytest.warns(DelegateWarning), pytest.raises(FallbackError) as caught:
        built(chain(5), BrokenDelegate(None, divide_by_zero), strict=True)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_build_that_raises_after_replacing_keeps_nothing() -> None:
    class Interrupted(WalkingDelegate):
        def build(self, model: DelegateModel) -> None:
            super().build(model)
            raise RuntimeError("lost the device")

    graph = chain(3)
    with pytest.warns(DelegateWarning, match="lost the device"):
        model = built(graph, Interrupted(["n0"]))
    assert where(model) == {"n0": None, "n1": None, "n2": None}
    assert "lost the device" in model.get_partition().notes[0]
    assert_same_as_cpu(graph, model)


def test_supports_that_raises_is_a_rejection_with_the_reason() -> None:
    class Confused(NamedDelegate):
        def supports(self, kernel: Kernel) -> Supported:
            raise KeyError(kernel.name)

    with pytest.warns(DelegateWarning, match="KeyError"):
        model = built(chain(1), Confused(None))
    assert "KeyError" in model.get_partition().nodes[0].reason


def test_claimed_but_left_out_is_said() -> None:
    class Forgetful(NamedDelegate):
        def build(self, model: DelegateModel) -> None:
            return None

    model = built(chain(1), Forgetful(None))
    assert model.get_partition().nodes[0].reason == "delegate 'named' claims it, but its build left it out"


def exotic() -> Graph:
    """relu -> an operator that the CPU has no kernel for -> relu."""
    x = value("x")
    first = unary("first", x)
    odd = Node("odd", make_primitive("Custom", type="Odd"), list(first.outputs), [value("odd:0")])
    last = unary("last", odd.outputs[0])
    return Graph("main", [x], list(last.outputs), [first, odd, last])


def test_operator_without_cpu_kernel_runs_on_the_delegate() -> None:
    class Negating(NamedDelegate):
        def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
            boundary = model.boundary_of(run)

            class Negate(Kernel):
                def execute(self) -> None:
                    self.outputs[0].data = -self.inputs[0].data

            return Negate("Negate", "Negate", boundary.inputs, boundary.outputs)

    model = built(exotic(), Negating(["odd"]))
    (result,) = model.predict({"x": np.full((2, 3), 2, np.float32)})
    np.testing.assert_array_equal(result.get_data_to_numpy(), np.zeros((2, 3)))


@pytest.mark.parametrize("delegate", [None, NamedDelegate(["first"])])
def test_operator_that_nobody_has_is_named(delegate: Delegate | None) -> None:
    with pytest.raises(UnsupportedOperatorError, match=r"1 node can run nowhere: .*\n  'odd' \(Custom, FLOAT32\)"):
        built(exotic(), delegate)


class SilentKernel(GroupKernel):
    def execute(self) -> None:
        return None


class RaisingKernel(GroupKernel):
    def execute(self) -> None:
        raise TimeoutError("no answer in 1000 ms")


class WordlessKernel(GroupKernel):
    def execute(self) -> None:
        raise AssertionError


class LookingUpKernel(GroupKernel):
    def execute(self) -> None:
        raise KeyError("x")


@pytest.mark.parametrize(
    ("kernel_class", "message"),
    [
        (SilentKernel, r"Graph kernel 'Group0' did not set its output 'n0:0'"),
        (RaisingKernel, r"Graph kernel 'Group0' \(Group\) failed: TimeoutError: no answer in 1000 ms"),
        (WordlessKernel, r"failed: AssertionError\."),
        (LookingUpKernel, r"failed: KeyError: 'x'\."),
    ],
)
def test_failing_graph_kernel_is_named(kernel_class: type[GroupKernel], message: str) -> None:
    delegate = BrokenDelegate(["n0"], lambda k: kernel_class(k.name, model_boundary(k), k.kernels))
    model = built(chain(2), delegate)
    with pytest.raises(DelegateExecuteError, match=message):
        predict(model)


def test_constants_are_not_freed_or_changed_by_delegation() -> None:
    graph = chain(3)
    constants: list[Value] = [n.inputs[1] for n in graph.nodes if n.inputs[1] is not None]
    before = [c.data.copy() for c in constants if c.data is not None]
    predict(built(graph, NamedDelegate(["n1"])))
    for constant, old in zip(constants, before, strict=True):
        assert constant.data is not None
        assert not constant.data.flags.writeable
        np.testing.assert_array_equal(constant.data, old)


def test_fallback_of_single_nodes_does_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        built(chain(3), NamedDelegate(["n1"]))
