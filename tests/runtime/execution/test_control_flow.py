"""Subgraphs: branches, loops, what can be wrong with them, and delegates inside them."""

from __future__ import annotations

import threading
import tracemalloc
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate import (
    Context,
    DataType,
    DelegateBuildError,
    DelegateModel,
    DelegateWarning,
    GraphError,
    Kernel,
    KernelError,
    Model,
    RejectCode,
    ShapeError,
)
from lite_delegate.formats import read_model
from lite_delegate.formats.ms import write_ms
from lite_delegate.ir import Graph, Node, Value, constant, difference
from lite_delegate.report import partition_report
from lite_delegate.runtime.execution import run as run_module
from lite_delegate.testing.delegates import GroupKernel, NamedDelegate, WalkingDelegate
from tests.runtime.control_graphs import (
    BOOL,
    F32,
    I32,
    add,
    binary,
    built,
    call,
    handle,
    if_else,
    multiply,
    node,
    out,
    partial,
    predict,
    scalar,
    switch,
    values,
    while_loop,
)

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def plus_or_times() -> Graph:
    return if_else(lambda x: add("plus", x, 10), lambda x: multiply("times", x, 3))


@pytest.mark.parametrize(("c", "expected"), [(True, X + 10), (False, X * 3)])
def test_if_else(c: bool, expected: np.ndarray[Any, Any]) -> None:
    (y,) = predict(built(plus_or_times()), c=c, x=X)
    np.testing.assert_array_equal(y, expected, strict=True)


def test_a_file_keeps_the_control_flow(tmp_path: Path) -> None:
    for graph, inputs in (
        (plus_or_times(), {"c": True, "x": X}),
        (while_loop(lambda i, x: [add("grow", x, 2)]), {"n": 3, "x": np.zeros(4)}),
    ):
        write_ms(graph, tmp_path / "model.ms")
        assert difference(read_model(tmp_path / "model.ms").subgraphs[0], graph.subgraphs[0]) is None
        model = Model()
        model.build_from_file(tmp_path / "model.ms")
        np.testing.assert_array_equal(predict(model, **inputs)[0], predict(built(graph), **inputs)[0])


def nested() -> Graph:
    """y = x + 1 if a and b, x + 2 if a and not b, x + 3 otherwise; the inner choice is a subgraph's."""
    shape = (2, 3)
    a, b, x, y = Value("a", BOOL, ()), Value("b", BOOL, ()), Value("x", F32, shape), Value("y", F32, shape)
    yes, no = partial("yes", 1, b, x), partial("no", 4, x)
    choose = switch("choose", a, out(yes), out(no))
    main_nodes = [yes, no, choose, call("outer", out(choose), y)]
    ib, ix, iy = Value("in.b", BOOL, ()), Value("in.x", F32, shape), Value("in.y", F32, shape)
    iyes, ino = partial("inner_yes", 2), partial("inner_no", 3)
    ichoose = switch("inner_choose", ib, out(iyes), out(ino))
    inner = Graph("inner", [ib, ix], [iy], [iyes, ino, ichoose, call("inner_call", out(ichoose), iy, arguments=[ix])])
    leaves = []
    for number in (1, 2, 3):
        leaf_x = Value(f"leaf{number}.x", F32, shape)
        plus = add(f"plus{number}", leaf_x, number)
        leaves.append(Graph(f"leaf{number}", [leaf_x], [out(plus)], [plus]))
    return Graph("main", [a, b, x], [y], main_nodes, [inner, *leaves])


@pytest.mark.parametrize(("a", "b", "plus"), [(1, 1, 1), (1, 0, 2), (0, 1, 3), (0, 0, 3)])
def test_nested_choices_whose_calls_pass_inputs(a: int, b: int, plus: int) -> None:
    (y,) = predict(built(nested()), a=a, b=b, x=X)
    np.testing.assert_array_equal(y, X + plus)


def two_calls() -> Graph:
    """Nodes before and after two calls of one subgraph, which gives two outputs."""
    x = Value("x", F32, (2, 3))
    before = add("before", x, 1)
    sx = Value("s.x", F32, (2, 3))
    double, negative = multiply("double", sx, 2), multiply("negative", sx, -1)
    sub = Graph("sub", [sx], [out(double), out(negative)], [double, negative])
    target = partial("target", 1)
    p, q, r, s = (Value(n, F32, (2, 3)) for n in "pqrs")
    first = call("first", out(target), p, q, arguments=[out(before)])
    second = call("second", out(target), r, s, arguments=[q])
    end = binary("end", "AddFusion", r, p)
    return Graph("main", [x], [out(end), s], [before, target, first, second, end], [sub])


def test_calls_in_the_middle() -> None:
    total, last = predict(built(two_calls()), x=X)
    np.testing.assert_array_equal(total, -2 * (X + 1) + 2 * (X + 1))
    np.testing.assert_array_equal(last, X + 1)


@pytest.mark.parametrize("swapped", [False, True])
def test_a_call_at_the_end_whose_outputs_are_not_the_graphs(swapped: bool) -> None:
    """The graph gives them in another order, or something else besides."""
    x = Value("x", F32, (2, 3))
    sx = Value("s.x", F32, (2, 3))
    double, negative = multiply("double", sx, 2), multiply("negative", sx, -1)
    sub = Graph("sub", [sx], [out(double), out(negative)], [double, negative])
    plus, target = add("plus", x, 1), partial("target", 1, x)
    p, q = (Value(n, F32, (2, 3)) for n in "pq")
    outputs = [q, p] if swapped else [p, q, out(plus)]
    graph = Graph("main", [x], outputs, [plus, target, call("run", out(target), p, q)], [sub])
    expected = [-X, 2 * X] if swapped else [2 * X, -X, X + 1]
    np.testing.assert_array_equal(predict(built(graph), x=X), expected)


def test_the_memory_of_a_call_is_free_after_it() -> None:
    made: list[weakref.ref[Any]] = []
    alive: list[bool] = []

    def make(arrays: Any, _: Any) -> Any:
        array = arrays[0] + 1
        made.append(weakref.ref(array))
        return array

    def look(arrays: Any, _: Any) -> Any:
        alive.append(made[0]() is not None)
        return arrays[0] + 1

    context = Context()
    context.register_custom("Make", make)
    context.register_custom("Look", look)
    shape = (2, 3)
    x, y = Value("x", F32, shape), Value("y", F32, shape)
    sx = Value("s.x", F32, shape)
    inside = node("inside", "Custom", [sx], Value("inside:0", F32, shape), type="Look")
    big = node("big", "Custom", [x], Value("big:0", F32, shape), type="Make")
    target = partial("target", 1, out(big))
    end = node("end", "Custom", [y], Value("end:0", F32, shape), type="Look")
    nodes = [big, target, call("run", out(target), y), end]
    graph = Graph("main", [x], [out(end)], nodes, [Graph("sub", [sx], [out(inside)], [inside])])
    np.testing.assert_array_equal(predict(built(graph, context=context), x=X)[0], X + 3)
    assert alive == [True, False]


@pytest.mark.parametrize("n", [0, 1, 7])
def test_while(n: int) -> None:
    (y,) = predict(built(while_loop(lambda i, x: [multiply("twice", x, 2)])), n=n, x=np.ones(4))
    np.testing.assert_array_equal(y, np.full(4, 2.0**n, np.float32), strict=True)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_a_loop_whose_tensor_grows(n: int) -> None:
    def step(i: Value, x: Value) -> list[Node]:
        number = node("number", "Cast", [i, scalar("type", DataType.FLOAT32)], Value("number:0", F32, ()))
        row = node("row", "Reshape", [out(number), constant("one_d", np.array([1], np.int32))])
        return [number, row, node("append", "Concat", [x, out(row)], axis=0)]

    model = built(while_loop(step, shape=(1,)))
    assert model.get_outputs()[0].shape == [-1]
    (y,) = predict(model, n=n, x=[-1])
    np.testing.assert_array_equal(y, np.arange(-1, n, dtype=np.float32), strict=True)


def test_a_hundred_thousand_rounds_take_no_more_memory_than_a_hundred() -> None:
    model = built(while_loop(lambda i, x: [add("grow", x, 1)]))
    peaks = []
    for n in (100, 1_000):
        tracemalloc.start()
        predict(model, n=n, x=np.zeros(4))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 4_000
    (y,) = predict(model, n=100_000, x=np.zeros(4))
    np.testing.assert_array_equal(y, np.full(4, 100_000, np.float32))


def test_recursion_that_is_no_loop_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    model = built(while_loop(lambda i, x: [multiply("twice", x, 2)], is_tail=False))
    (y,) = predict(model, n=5, x=np.ones(4))
    np.testing.assert_array_equal(y, np.full(4, 2**5 + 5, np.float32))
    monkeypatch.setattr(run_module, "MAX_DEPTH", 50)
    predict(model, n=50, x=np.zeros(4))
    with pytest.raises(KernelError, match=r"Node 'next' \(Call\): more than 50 calls wait"):
        predict(model, n=51, x=np.zeros(4))


def test_recursion_far_deeper_than_python_allows() -> None:
    model = built(while_loop(lambda i, x: [multiply("same", x, 1)], is_tail=False))
    (y,) = predict(model, n=9_000, x=np.zeros(4))
    np.testing.assert_array_equal(y, np.full(4, 9_000, np.float32))


def layers(count: int) -> Graph:
    index, x, y = Value("index", I32, ()), Value("x", F32, (2, 3)), Value("y", F32, None)
    partials = [partial(f"p{k}", k + 1, x) for k in range(count)]
    choose = node("choose", "SwitchLayer", [index, *(out(p) for p in partials)], handle("choose:0"))
    subgraphs = []
    for k in range(count):
        inner = Value(f"{k}.x", F32, (2, 3))
        plus = add(f"plus{k}", inner, k)
        subgraphs.append(Graph(f"layer{k}", [inner], [out(plus)], [plus]))
    return Graph("main", [index, x], [y], [*partials, choose, call("run", out(choose), y)], subgraphs)


def test_switch_layer() -> None:
    model = built(layers(3))
    for k in range(3):
        np.testing.assert_array_equal(predict(model, index=k, x=X)[0], X + k)
    for k in (-1, 3):
        with pytest.raises(KernelError, match=rf"Node 'choose' \(SwitchLayer\): index must be 0..2 .*, got {k}"):
            predict(model, index=k, x=X)


def test_a_constant_choice_leaves_the_other_subgraph_out() -> None:
    graph = plus_or_times()
    graph.inputs.pop(0)
    graph.nodes[2].inputs[0] = constant("always", np.array(True))
    model = built(graph)
    np.testing.assert_array_equal(predict(model, x=X)[0], X + 10)
    record = model.get_partition()
    assert [n.name for n in record.nodes] == ["yes", "no", "choose", "run", "plus"]
    assert "Subgraph 'otherwise' is never called; its 1 node is left out." in record.notes


def test_branches_of_different_shapes_give_an_open_one() -> None:
    def narrow(x: Value) -> Node:
        axes = constant("axis", np.array([1], np.int32))
        return node("sum", "ReduceFusion", [x, axes], mode="ReduceSum", keep_dims=True)

    model = built(if_else(narrow, lambda x: add("plus", x, 1)))
    assert model.get_outputs()[0].shape == [2, -1]
    assert predict(model, c=True, x=X)[0].shape == (2, 1)
    assert predict(model, c=False, x=X)[0].shape == (2, 3)


def test_resize_reaches_the_subgraphs() -> None:
    model = built(plus_or_times())
    c, x = model.get_inputs()
    model.resize([c, x], [[], [5, 3]])
    assert model.get_outputs()[0].shape == [5, 3]
    wide = np.ones((5, 3), np.float32)
    np.testing.assert_array_equal(predict(model, c=False, x=wide)[0], wide * 3)


# --- reports and delegates ---


def test_nodes_of_subgraphs_are_in_the_record_with_their_graph() -> None:
    record = built(plus_or_times()).get_partition()
    assert {n.name: n.graph for n in record.nodes} == {
        **dict.fromkeys(["yes", "no", "choose", "run"], ""),
        "plus": "then",
        "times": "otherwise",
    }
    for n in record.nodes:
        if n.graph == "":
            assert (n.device, n.code, n.reason) == ("CPU", RejectCode.OPERATOR, "control flow runs on the host")


def test_names_are_unique_over_all_graphs() -> None:
    graph = if_else(lambda x: add("same", x, 1), lambda x: add("same", x, 2))
    graph.nodes[0].name = "same"
    for sub in graph.subgraphs:
        sub.name = "branch"
    record = built(graph, NamedDelegate(["same#2", "same#3"])).get_partition()
    named = {n.name: (n.graph, n.subgraph) for n in record.nodes if n.name.startswith("same")}
    assert named == {"same": ("", None), "same#2": ("branch", "Group0"), "same#3": ("branch#2", "Group1")}


class PlainNamesDelegate(NamedDelegate):
    """Numbers its graph kernels graph by graph, as the NPU does."""

    def create_graph_kernel(self, run: Any, model: DelegateModel) -> Kernel:
        kernel = super().create_graph_kernel(run, model)
        kernel.name = "Plain0"
        return kernel


def test_graph_kernels_of_different_graphs_get_different_names() -> None:
    model = built(plus_or_times(), PlainNamesDelegate(["plus", "times"]))
    record = model.get_partition()
    assert [(s.name, s.kernels, s.graph) for s in record.subgraphs] == [
        ("Plain0", ("plus",), "then"),
        ("Plain0#2", ("times",), "otherwise"),
    ]
    assert (record.minimum_subgraphs, record.minimum_proof) == (2, ("plus", "times"))
    report = partition_report(model)
    assert (report.kernels_total, report.kernels_delegated) == (6, 2)
    assert "control flow runs on the host" in report.to_json()
    assert "Plain0#2" in report.to_text()


def test_a_delegate_inside_a_loop_body() -> None:
    graph = while_loop(lambda i, x: [multiply("a", x, 2), add("b", x, 1), binary("c", "SubFusion", x, x)])
    graph.subgraphs[1].nodes[2].inputs[:] = [out(graph.subgraphs[1].nodes[0]), out(graph.subgraphs[1].nodes[1])]
    delegate = NamedDelegate(["a", "b", "c"])
    model = built(graph, delegate)
    (subgraph,) = model.get_partition().subgraphs
    assert (subgraph.kernels, subgraph.graph) == (("a", "b", "c"), "body")
    (y,) = predict(model, n=4, x=[1, 2, 3, 4])
    np.testing.assert_array_equal(y, np.array([1, 2, 3, 4], np.float32) - 4)
    assert [k.prepared for k in delegate.made] == [1]


class OneBufferKernel(GroupKernel):
    """Writes its results to the same memory each time, and can be forked."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.memory = np.zeros(4, np.float32)

    def execute(self) -> None:
        np.add(self.inputs[0].data, np.float32(1), out=self.memory)
        self.outputs[0].data = self.memory

    def fork(self, inputs: Any, outputs: Any) -> Kernel:
        twin = OneBufferKernel.__new__(OneBufferKernel)
        Kernel.__init__(twin, self.name, self.type, inputs, outputs)
        twin.memory = np.zeros(4, np.float32)
        return twin


def test_a_graph_kernel_may_reuse_its_memory_in_the_next_round() -> None:
    """Each round subtracts the x that the graph kernel gave before from the x it gives now: 1, unless both are one."""

    class Reusing(NamedDelegate):
        def create_graph_kernel(self, run: Any, model: DelegateModel) -> Kernel:
            return OneBufferKernel("one", model.boundary_of(run), run)

    graph = while_loop(lambda i, x: [add("grown", x, 1)], is_tail=False)
    body = graph.subgraphs[1]
    gain = binary("gain", "SubFusion", out(body.nodes[0]), body.inputs[2])
    body.nodes.insert(1, gain)
    body.nodes[-1].inputs[1] = out(gain)
    (y,) = predict(built(graph, Reusing(["grown"])), n=6, x=np.zeros(4))
    np.testing.assert_array_equal(y, np.full(4, 6 + 6, np.float32))


def test_a_walking_delegate_leaves_control_flow_alone() -> None:
    model = built(two_calls(), WalkingDelegate(None))
    assert [s.kernels for s in model.get_partition().subgraphs] == [("before",), ("end",), ("double", "negative")]
    np.testing.assert_array_equal(predict(model, x=X)[1], X + 1)


def test_a_delegate_cannot_replace_a_call() -> None:
    class Greedy(WalkingDelegate):
        def build(self, model: DelegateModel) -> None:
            if len(model) < 3:
                return
            kernel = self.create_graph_kernel(model[:], model)
            with pytest.raises(DelegateBuildError, match=r"'target' .* cannot be replaced: the runtime itself runs it"):
                model.replace(0, len(model), kernel)

    delegate = Greedy(None)
    predict(built(two_calls(), delegate), x=X)
    assert len(delegate.made) == 1


def test_strict_does_not_count_what_only_the_host_can_do() -> None:
    context = Context()
    context.strict = True
    model = built(plus_or_times(), NamedDelegate(["plus", "times"]), context)
    np.testing.assert_array_equal(predict(model, c=False, x=X)[0], X * 3)
    with pytest.raises(Exception, match=r"strict mode: 1 kernel would run on the CPU: 'times'"):
        built(plus_or_times(), NamedDelegate(["plus"]), context)


def test_threads_share_a_plan_with_loops() -> None:
    model = built(while_loop(lambda i, x: [add("grow", x, 1)]), NamedDelegate(["grow"]))
    wrong: list[int] = []

    def work(start: int) -> None:
        for n in range(40):
            (y,) = predict_array(model, n, start)
            if not (y == start + n).all():
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(1000 * k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def predict_array(model: Model, n: int, start: int) -> list[np.ndarray[Any, Any]]:
    return predict(model, n=n, x=np.full(4, start))


# --- what can be wrong ---


def broken(change: Any) -> Graph:
    graph = plus_or_times()
    change(graph)
    return graph


def test_a_call_of_a_tensor() -> None:
    def change(graph: Graph) -> None:
        graph.nodes[3].inputs[0] = graph.inputs[1]

    with pytest.raises(GraphError, match=r"node 'run' \(Call\): input 0 .* found a tensor float32 \[2, 3\]"):
        built(broken(change))


def test_a_call_of_nothing() -> None:
    with pytest.raises(GraphError, match=r"node 'run' \(Call\): input 0 must be .* found no input"):
        built(broken(lambda graph: graph.nodes[3].inputs.clear()))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda g: g.nodes[0].inputs.clear(), r"'run' \(Call\): graph 'then' has 1 input, found 0: 0 bound before"),
        (
            lambda g: g.nodes[0].inputs.append(g.inputs[1]),
            r"'yes' \(PartialFusion\): graph 'then' has 1 input, found 2",
        ),
        (lambda g: g.nodes[3].inputs.append(g.inputs[1]), r"graph 'then' has 1 input, found 2: 1 bound before and 1"),
        (lambda g: g.nodes[3].outputs.append(Value("z", F32, None)), r"'then' has 1 output, found 2"),
        (lambda g: g.nodes[0].outputs.append(Value("z", F32, None)), r"'yes' \(PartialFusion\): must have 1 output"),
    ],
    ids=["too few", "too many bound", "too many called", "outputs", "partial outputs"],
)
def test_wrong_numbers_of_inputs_and_outputs(change: Any, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        built(broken(change))


def test_an_output_of_the_model_that_is_a_subgraph() -> None:
    x = Value("x", F32, (2, 3))
    target = partial("target", 1, x)
    sx = Value("s.x", F32, (2, 3))
    with pytest.raises(GraphError, match=r"Output 'target:0' of the model must be a tensor, found a subgraph to call"):
        built(Graph("main", [x], [out(target)], [target], [Graph("sub", [sx], [sx], [])]))


def test_a_kernel_that_reads_a_subgraph() -> None:
    def change(graph: Graph) -> None:
        graph.nodes[0].inputs[0] = out(graph.nodes[1])
        graph.nodes.reverse()

    with pytest.raises(Exception, match=r"'plus' \(AddFusion, TENSOR_LIST\?\)"):
        built(broken(change))


def test_a_condition_that_is_no_bool() -> None:
    def change(graph: Graph) -> None:
        graph.inputs[0].dtype = I32

    with pytest.raises(ShapeError, match=r"'choose' \(Switch\): condition must be bool, got int32"):
        built(broken(change))


def test_a_condition_of_several_elements() -> None:
    def change(graph: Graph) -> None:
        graph.inputs[0].shape = (2,)

    with pytest.raises(KernelError, match=r"'choose' \(Switch\): condition must have 1 element, got shape \(2,\)"):
        predict(built(broken(change)), c=[True, True], x=X)


def test_branches_of_different_types() -> None:
    def to_int(x: Value) -> Node:
        return node("cast", "Cast", [x, scalar("type", DataType.INT32)], Value("cast:0", I32, None))

    with pytest.raises(ShapeError, match=r"'run' \(Call\): output 0 .*int32.* and .*float32|.*float32.* and .*int32"):
        built(if_else(to_int, lambda x: add("plus", x, 1)))


def test_a_loop_without_an_end() -> None:
    x, y = Value("x", F32, (2, 3)), Value("y", F32, None)
    state, result = values("a", ("x", F32, (2, 3))), Value("a.y", F32, None)
    to_b = partial("to_b", 2, *state)
    a = Graph("a", state, [result], [to_b, call("call_b", out(to_b), result)])
    state, result = values("b", ("x", F32, (2, 3))), Value("b.y", F32, None)
    to_a = partial("to_a", 1, *state)
    b = Graph("b", state, [result], [to_a, call("call_a", out(to_a), result)])
    start = partial("start", 1, x)
    with pytest.raises(GraphError, match=r"the call never returns; every path of it calls again"):
        built(Graph("main", [x], [y], [start, call("begin", out(start), y)], [a, b]))


def test_an_error_inside_a_subgraph_names_its_node() -> None:
    def step(i: Value, x: Value) -> list[Node]:
        picked = node("pick", "Gather", [x, i, scalar("axis", 0)])
        return [picked, node("add", "AddFusion", [x, out(picked)])]

    with pytest.raises(KernelError, match=r"Node 'pick' \(Gather\)"):
        predict(built(while_loop(step)), n=5, x=np.ones(4))


def test_a_build_failure_inside_a_subgraph_falls_back() -> None:
    class Failing(NamedDelegate):
        def create_graph_kernel(self, run: Any, model: DelegateModel) -> Kernel:
            if run[0].name == "plus":
                raise DelegateBuildError("no room")
            return super().create_graph_kernel(run, model)

    with pytest.warns(DelegateWarning, match="'plus': no room"):
        model = built(plus_or_times(), Failing(["plus", "times"]))
    assert {n.name: (n.subgraph, n.code) for n in model.get_partition().nodes if n.graph} == {
        "plus": (None, RejectCode.COMPILE_FAILED),
        "times": ("Group0", None),
    }
