"""Variables, custom operators and assertions: what they do, and that their order stays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import Array, ArraySpec

from lite_delegate import (
    Context,
    GraphError,
    KernelError,
    Model,
    RejectCode,
    ShapeError,
    Supported,
    UnsupportedOperatorError,
)
from lite_delegate.formats.ms import write_ms
from lite_delegate.inference import compile_graph
from lite_delegate.ir import Graph, Node, Value, constant
from lite_delegate.runtime.settings import Settings
from lite_delegate.testing.delegates import NamedDelegate
from tests.present import data_of
from tests.runtime.control_graphs import (
    BOOL,
    F32,
    I32,
    add,
    binary,
    built,
    call,
    multiply,
    node,
    out,
    partial,
    predict,
    while_loop,
)
from tests.runtime.graphs import unary

X = np.array([1, 2, 3], np.float32)


def variable(*contents: float) -> Value:
    return constant("v", np.array(contents, np.float32))


def assign(name: str, target: Value, value: Value, op_type: str = "Assign") -> Node:
    return node(name, op_type, [target, value])


def x_input() -> Value:
    return Value("x", F32, (3,))


def around_an_assignment(op_type: str = "Assign") -> Graph:
    """before = v + x; v = 10 x (or v + 10 x); after = v + x."""
    v, x = variable(100, 200, 300), x_input()
    before = binary("before", "AddFusion", v, x)
    ten = multiply("ten", x, 10)
    change = assign("change", v, out(ten), op_type)
    after = binary("after", "AddFusion", v, x)
    return Graph("main", [x], [out(before), out(change), out(after)], [before, ten, change, after])


@pytest.mark.parametrize("claimed", [None, [], ["before", "after"], ["before", "ten", "after"]])
def test_a_variable_is_read_before_and_after_it_changes(claimed: Sequence[str] | None) -> None:
    delegate = None if claimed is None else NamedDelegate(claimed)
    model = built(around_an_assignment(), delegate)
    for _ in range(2):
        before, change, after = predict(model, x=X)
        np.testing.assert_array_equal(before, [101, 202, 303])
        np.testing.assert_array_equal(change, 10 * X)
        np.testing.assert_array_equal(after, 11 * X)


def test_assign_add() -> None:
    _, change, after = predict(built(around_an_assignment("AssignAdd")), x=X)
    np.testing.assert_array_equal(change, 110 * X)
    np.testing.assert_array_equal(after, 111 * X)


def test_the_order_with_the_fewest_runs_keeps_readers_on_their_side() -> None:
    """Without the variable the two claimed nodes could be one run; with it they are two, and that is proved."""
    model = built(around_an_assignment(), NamedDelegate(["before", "after"]))
    record = model.get_partition()
    assert [s.kernels for s in record.subgraphs] == [("before",), ("after",)]
    assert (record.minimum_subgraphs, record.minimum_proof) == (2, ("before", "change", "after"))
    reason = next((n.code, n.reason) for n in record.nodes if n.name == "change")
    assert reason == (RejectCode.OPERATOR, "variables live on the host")


def two_variables() -> Graph:
    """a = v + x; v = 2 a; b = w + a; w = 3 b; the outputs are a and b."""
    v, w, x = variable(1, 2, 3), constant("w", np.array([10, 20, 30], np.float32)), x_input()
    a = binary("a", "AddFusion", v, x)
    double = multiply("double", out(a), 2)
    b = binary("b", "AddFusion", w, out(a))
    triple = multiply("triple", out(b), 3)
    changes = [assign("v=", v, out(double)), assign("w=", w, out(triple))]
    return Graph("main", [x], [out(a), out(b)], [a, double, changes[0], b, triple, changes[1]])


def test_an_assignment_does_not_part_readers_of_other_variables() -> None:
    model = built(two_variables(), NamedDelegate(["a", "double", "b", "triple"]))
    assert [s.kernels for s in model.get_partition().subgraphs] == [("a", "double", "b", "triple")]
    request = compile_graph(two_variables(), Settings(delegates=(NamedDelegate(["a", "double", "b", "triple"]),)))
    held = request.create_infer_request()
    np.testing.assert_array_equal(held.infer([X]), [[2, 4, 6], [12, 24, 36]])
    np.testing.assert_array_equal(held.infer([X]), [[5, 10, 15], [41, 82, 123]])


@pytest.mark.parametrize("seed", range(40))
def test_any_claims_leave_reads_and_assignments_in_their_order(seed: int) -> None:
    """Judged by a loop over the nodes in the order of the file."""
    rng = np.random.default_rng(seed)
    held = [np.full(3, 10.0 * (i + 1), np.float32) for i in range(3)]
    variables = [constant(f"v{i}", array) for i, array in enumerate(held)]
    x = x_input()
    values, arrays, nodes = [x], [X], []
    for i in range(12):
        which, given = int(rng.integers(3)), int(rng.integers(len(values)))
        match rng.choice(["AddFusion", "AddFusion", "Assign", "AssignAdd"]):
            case "AddFusion":
                nodes.append(binary(f"n{i}", "AddFusion", variables[which], values[given]))
                arrays.append(held[which] + arrays[given])
            case "Assign":
                nodes.append(assign(f"n{i}", variables[which], values[given]))
                held[which] = arrays[given]
                arrays.append(held[which])
            case _:
                nodes.append(assign(f"n{i}", variables[which], values[given], "AssignAdd"))
                held[which] = held[which] + arrays[given]
                arrays.append(held[which])
        values.append(out(nodes[-1]))
    claimed = [n.name for n in nodes if rng.random() < 0.8]
    found = predict(built(Graph("main", [x], values[1:], nodes), NamedDelegate(claimed)), x=X)
    for got, expected in zip(found, arrays[1:], strict=True):
        np.testing.assert_array_equal(got, expected)


def test_the_constant_of_the_model_never_changes(tmp_path: Path) -> None:
    graph = around_an_assignment()
    write_ms(graph, tmp_path / "model.ms")
    model = Model()
    model.build_from_file(tmp_path / "model.ms")
    predict(model, x=X)
    predict(built(graph), x=X)
    np.testing.assert_array_equal(data_of(graph.nodes[0], 0), [100, 200, 300])
    np.testing.assert_array_equal(predict(model, x=X)[0], [101, 202, 303])


def test_a_delegate_is_not_told_that_a_variable_is_constant() -> None:
    seen: dict[str, bool] = {}

    class Looking(NamedDelegate):
        def supports(self, kernel: Any) -> Any:
            seen.update((kernel.name, t.is_const) for t in kernel.inputs if t.name == "v")
            return super().supports(kernel)

    built(around_an_assignment(), Looking([]))
    assert seen == {"before": False, "after": False}


def test_no_shape_is_inferred_from_what_a_variable_holds_at_first() -> None:
    x = x_input()
    v, turned = (constant(name, np.array(dims, np.int32)) for name, dims in (("v", [3, 1]), ("turned", [1, 3])))
    nodes = [assign("change", v, turned), node("reshape", "Reshape", [x, v])]
    model = built(Graph("main", [x], [out(nodes[1])], nodes))
    assert model.get_outputs()[0].shape == [-1, -1]
    np.testing.assert_array_equal(predict(model, x=X)[0], [X], strict=True)


def test_a_parameter_without_contents_starts_as_zeros() -> None:
    v, x = Value("v", F32, (3,), is_parameter=True), x_input()
    read = binary("read", "AddFusion", v, x)
    (y,) = predict(built(Graph("main", [x], [out(read)], [read])), x=X)
    np.testing.assert_array_equal(y, X)
    v.shape = (-1,)
    with pytest.raises(
        GraphError, match=r"Variable 'v' must be of numbers and have a known shape, found FLOAT32 \[-1\]"
    ):
        built(Graph("main", [x], [out(read)], [read]))


def counting_loop() -> Graph:
    """The body adds x to v and to itself; the main graph reads v before and after the loop."""
    v = variable(0, 0, 0)

    def step(i: Value, x: Value) -> list[Node]:
        return [assign("count", v, x, "AssignAdd"), add("same", x, 0)]

    graph = while_loop(step, shape=(3,))
    before = add("before", v, 0.5)
    after = add("after", v, 0.5)
    graph.nodes = [before, *graph.nodes, after]
    graph.outputs = [out(before), *graph.outputs, out(after)]
    return graph


@pytest.mark.parametrize("delegate", [None, NamedDelegate(["before", "after", "same"])])
def test_a_variable_that_a_loop_changes(delegate: NamedDelegate | None) -> None:
    model = built(counting_loop(), delegate)
    for n in (3, 0, 1):
        before, _, after = predict(model, n=n, x=X)
        np.testing.assert_array_equal(before, np.full(3, 0.5))
        np.testing.assert_array_equal(after, n * X + 0.5)


def test_a_caller_and_its_subgraph_share_a_variable() -> None:
    """Main assigns, the subgraph reads and assigns, main reads again."""
    v, x, y = variable(0, 0, 0), x_input(), Value("y", F32, None)
    first = assign("first", v, x)
    sub_read = multiply("sub_read", v, 2)
    sub_assign = assign("sub_assign", v, out(sub_read))
    sub = Graph("sub", [], [out(sub_assign)], [sub_read, sub_assign])
    target = partial("target", 1)
    run = call("run", out(target), y)
    last = add("last", v, 1)
    graph = Graph("main", [x], [y, out(last)], [first, target, run, last], [sub])
    np.testing.assert_array_equal(predict(built(graph), x=X), [2 * X, 2 * X + 1])


def test_what_comes_behind_the_last_call_is_done() -> None:
    """The subgraph gives what its call gives, and assigns after it."""
    v, x, y, z = variable(0, 0, 0), x_input(), Value("y", F32, None), Value("z", F32, None)
    sx, lx = Value("s.x", F32, (3,)), Value("l.x", F32, (3,))
    leaf = add("leaf", lx, 1)
    inner, target = partial("inner", 2, sx), partial("target", 1, x)
    sub = Graph("sub", [sx], [z], [inner, call("run", out(inner), z), assign("change", v, sx)])
    last = add("last", v, 0)
    nodes = [target, call("outer", out(target), y), last]
    graph = Graph("main", [x], [y, out(last)], nodes, [sub, Graph("leaf", [lx], [out(leaf)], [leaf])])
    np.testing.assert_array_equal(predict(built(graph), x=X), [X + 1, X])


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (
            lambda g: g.nodes[2].inputs.__setitem__(0, g.inputs[0]),
            GraphError,
            r"'change' \(Assign\): input 0 .* 'x', wh",
        ),
        (lambda g: g.nodes[2].inputs.clear(), GraphError, r"'change' \(Assign\): input 0 must be .* found nothing"),
        (
            lambda g: g.nodes[2].inputs.__setitem__(1, constant("two", np.zeros(2, np.float32))),
            ShapeError,
            r"'change' \(Assign\): value must have shape \[3\], got \[2\]",
        ),
        (
            lambda g: g.nodes[2].inputs.__setitem__(1, constant("two", np.zeros(3, np.int32))),
            ShapeError,
            r"'change' \(Assign\): value must be float32 as the variable, got int32",
        ),
    ],
)
def test_assignments_that_cannot_be(change: Any, error: type[Exception], message: str) -> None:
    graph = around_an_assignment()
    change(graph)
    with pytest.raises(error, match=message):
        built(graph)


# --- custom operators ---


def custom(name: str, inputs: Sequence[Value], *outputs: Value, type: str = "Scale", **blobs: bytes) -> Node:
    return node(name, "Custom", inputs, *outputs, type=type, attr=tuple(blobs.items()))


def scale(arrays: Sequence[Array | None], attributes: Mapping[str, bytes]) -> Array:
    (x,) = arrays
    assert x is not None
    return x * np.float32(attributes["factor"].decode())


def same(specs: Sequence[ArraySpec | None], attributes: Mapping[str, bytes]) -> ArraySpec:
    (x,) = specs
    assert x is not None
    return ArraySpec(x.dtype, x.shape)


def scaling(shape: tuple[int, ...] = (3,)) -> Graph:
    x = x_input()
    scaled = custom("scaled", [x], Value("scaled:0", F32, shape), factor=b"2.5")
    plus = add("plus", out(scaled), 1)
    return Graph("main", [x], [out(plus)], [scaled, plus])


@pytest.mark.parametrize("infer", [None, same])
def test_custom(infer: Any, tmp_path: Path) -> None:
    context = Context()
    context.register_custom("Scale", scale, infer)
    write_ms(scaling(), tmp_path / "model.ms")
    model = Model()
    model.build_from_file(tmp_path / "model.ms", context=context)
    assert model.get_outputs()[0].shape == [3]
    np.testing.assert_array_equal(predict(model, x=X)[0], X * 2.5 + 1, strict=True)
    (x,) = model.get_inputs()
    model.resize([x], [[2]])
    assert model.get_outputs()[0].shape == ([-2] if infer is None else [2])
    np.testing.assert_array_equal(predict(model, x=X[:2])[0], X[:2] * 2.5 + 1)


def test_custom_with_several_outputs_and_an_absent_input() -> None:
    def run(arrays: Sequence[Array | None], attributes: Mapping[str, bytes]) -> list[Array]:
        x, nothing = arrays
        assert x is not None
        assert nothing is None
        assert attributes == {}
        return [x + 1, x.astype(np.int32)]

    x = x_input()
    outputs = [Value("a", F32, (3,)), Value("b", I32, (3,))]
    both = custom("both", [x], *outputs, type="Both")
    both.inputs.append(None)
    context = Context()
    context.register_custom("Both", run)
    a, b = predict(built(Graph("main", [x], outputs, [both]), context=context), x=X)
    np.testing.assert_array_equal(a, X + 1, strict=True)
    np.testing.assert_array_equal(b, X.astype(np.int32), strict=True)


def test_a_custom_type_that_nobody_registered() -> None:
    context = Context()
    context.register_custom("Other", scale)
    with pytest.raises(UnsupportedOperatorError, match=r"'scaled' \(Custom, FLOAT32\): .* for its type 'Scale'"):
        built(scaling(), context=context)


def test_a_delegate_may_take_a_custom_operator() -> None:
    class Taking(NamedDelegate):
        def supports(self, kernel: Any) -> Any:
            return Supported() if kernel.type == "Custom" else super().supports(kernel)

    context = Context()
    context.register_custom("Scale", scale)
    model = built(scaling(), Taking([]), context)
    assert [s.kernels for s in model.get_partition().subgraphs] == [("scaled",)]
    np.testing.assert_array_equal(predict(model, x=X)[0], X * 2.5 + 1)


def failing(*_: Any) -> Any:
    raise LookupError("no table")


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (failing, r"Node 'scaled' \(Custom\): no table"),
        (
            lambda arrays, _: arrays[0].astype(np.float64),
            r"output 0 of 'Scale' must be float32 \(3,\), got float64 \(3,\)",
        ),
        (lambda arrays, _: arrays[0][:2], r"output 0 of 'Scale' must be float32 \(3,\), got float32 \(2,\)"),
        (lambda arrays, _: [arrays[0], arrays[0]], r"'Scale' must give 1 arrays, got 2"),
    ],
)
def test_results_of_a_custom_kernel_are_checked(run: Any, message: str) -> None:
    context = Context()
    context.register_custom("Scale", run)
    with pytest.raises(KernelError, match=message):
        predict(built(scaling(), context=context), x=X)


@pytest.mark.parametrize(
    ("infer", "message"),
    [
        (failing, r"Node 'scaled' \(Custom\): infer of custom operator 'Scale' raised LookupError: no table"),
        (lambda specs, _: [], r"must give 1 ArraySpec, got \(\)"),
        (lambda specs, _: ["float32"], r"must give 1 ArraySpec, got \('float32',\)"),
    ],
)
def test_results_of_a_custom_inference_are_checked(infer: Any, message: str) -> None:
    context = Context()
    context.register_custom("Scale", scale, infer)
    with pytest.raises(ShapeError, match=message):
        built(scaling(), context=context)


def test_registering_is_checked() -> None:
    no_type: Any = 7
    context = Context()
    context.register_custom("Scale", scale)
    assert set(context.custom_operators) == {"Scale"}
    with pytest.raises(ValueError, match="'Scale' is registered already"):
        context.register_custom("Scale", scale)
    with pytest.raises(TypeError, match="type must be str"):
        context.register_custom(no_type, scale)
    with pytest.raises(TypeError, match="must be callable"):
        context.register_custom("Bad", scale, infer=no_type)
    assert set(Context().custom_operators) == set()


# --- order ---


def test_custom_operators_and_assertions_keep_their_order() -> None:
    """The claimed nodes would be one run if custom nodes could pass each other; all nodes are independent otherwise."""
    x, c = x_input(), Value("c", BOOL, ())
    log: list[str] = []
    nodes: list[Node] = []
    for k in range(3):
        nodes += [custom(f"log{k}", [x], Value(f"log{k}:0", F32, (3,)), text=str(k).encode()), unary(f"relu{k}", x)]
    nodes.insert(4, node("check", "Assert", [c], Value("check:0", BOOL, ())))
    context = Context()

    def run(arrays: Sequence[Array | None], attributes: Mapping[str, bytes]) -> Array:
        log.append(attributes["text"].decode())
        assert arrays[0] is not None
        return arrays[0]

    context.register_custom("Scale", run)
    outputs = [out(n) for n in nodes if n.op_type == "Activation"]
    model = built(Graph("main", [x, c], outputs, nodes), NamedDelegate(["log1", "relu0", "relu1", "relu2"]), context)
    predict(model, x=X, c=True)
    assert log == ["0", "1", "2"]
    log.clear()
    with pytest.raises(KernelError, match=r"Node 'check' \(Assert\)"):
        predict(model, x=X, c=False)
    assert log == ["0", "1"]


# --- training ---


def test_training_operators_load_and_are_named_together(tmp_path: Path) -> None:
    x, c = x_input(), Value("c", BOOL, ())
    relu = unary("relu", x)
    nodes = [
        relu,
        node("loss", "SmoothL1Loss", [out(relu), x], Value("loss:0", F32, (3,))),
        node("update", "ApplyMomentum", [out(relu), x], Value("update:0", F32, (3,))),
    ]
    inner = Value("inner.x", F32, (3,))
    grad = node("grad", "ActivationGrad", [inner, inner], Value("grad:0", F32, (3,)))
    target, y = partial("target", 1, x), Value("y", F32, None)
    nodes += [target, call("run", out(target), y)]
    graph = Graph(
        "main", [x, c], [out(nodes[1]), out(nodes[2]), y], nodes, [Graph("sub", [inner], [out(grad)], [grad])]
    )
    write_ms(graph, tmp_path / "model.ms")
    model = Model()
    with pytest.raises(UnsupportedOperatorError) as error:
        model.build_from_file(tmp_path / "model.ms")
    text = str(error.value)
    assert "3 nodes can run nowhere" in text
    assert "3 of them are training operators: export the model for inference" in text
    for each in ("'loss' (SmoothL1Loss", "'update' (ApplyMomentum", "'grad' (ActivationGrad"):
        assert each in text
    assert text.count(": a training operator") == 3
