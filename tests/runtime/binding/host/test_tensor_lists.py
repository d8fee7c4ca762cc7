"""Tensor lists and tensor arrays: item by item, in loops, and what can be wrong with them."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import Array

from lite_delegate import DataType, GraphError, KernelError, Model, ShapeError
from lite_delegate.formats.ms import write_ms
from lite_delegate.ir import Graph, Node, PackedWeights, Value, constant
from lite_delegate.ir._generated.enums import WeightQuantCompressType
from tests.runtime.control_graphs import (
    BOOL,
    F32,
    I32,
    binary,
    built,
    call,
    handle,
    node,
    out,
    partial,
    predict,
    scalar,
    switch,
)

LIST = DataType.TENSOR_LIST
FLOAT = DataType.FLOAT32
X = np.arange(12, dtype=np.float32).reshape(4, 3)


def a_list(name: str) -> Value:
    return Value(name, LIST, None)


def shape(name: str, *dims: int) -> Value:
    return constant(name, np.array(dims, np.int32))


def reserve(count: Value, *dims: int, dtype: int = FLOAT) -> Node:
    inputs = [shape("reserve.shape", *dims), count]
    return node("reserve", "TensorListReserve", inputs, a_list("reserved"), element_dtype=dtype)


def set_item(name: str, given: Value, index: Value, item: Value) -> Node:
    return node(name, "TensorListSetItem", [given, index, item], a_list(f"{name}:0"), element_dtype=FLOAT)


def get_item(name: str, given: Value, index: Value, *dims: int) -> Node:
    return node(name, "TensorListGetItem", [given, index, shape(f"{name}.shape", *dims)], element_dtype=FLOAT)


def stack(given: Value, *dims: int, **attributes: Any) -> Node:
    return node(
        "stack", "TensorListStack", [given, shape("stack.shape", *dims)], **{"element_dtype": FLOAT} | attributes
    )


def split(x: Value, *dims: int) -> Node:
    inputs = [x, shape("split.shape", *dims)]
    return node("split", "TensorListFromTensor", inputs, a_list("split:0"), element_dtype=FLOAT)


def graph_of(*nodes: Node, inputs: list[Value]) -> Graph:
    return Graph("main", inputs, [out(nodes[-1])], list(nodes))


def x_input(*dims: int) -> Value:
    return Value("x", F32, dims or (4, 3))


def test_split_and_stack_give_the_tensor_back() -> None:
    x = x_input()
    items = split(x, -1)
    model = built(graph_of(items, stack(out(items), 3), inputs=[x]))
    assert model.get_outputs()[0].shape == [-1, 3]
    np.testing.assert_array_equal(predict(model, x=X)[0], X, strict=True)


@pytest.mark.parametrize("k", [0, 3])
def test_get_item(k: int) -> None:
    x, index = x_input(), Value("k", I32, ())
    items = split(x, 3)
    model = built(graph_of(items, get_item("get", out(items), index, 3), inputs=[x, index]))
    assert model.get_outputs()[0].shape == [3]
    np.testing.assert_array_equal(predict(model, x=X, k=k)[0], X[k], strict=True)


@pytest.mark.parametrize("k", [-1, 4])
def test_an_item_that_is_not_there(k: int) -> None:
    x, index = x_input(), Value("k", I32, ())
    items = split(x, 3)
    model = built(graph_of(items, get_item("get", out(items), index, 3), inputs=[x, index]))
    with pytest.raises(KernelError, match=rf"'get' \(TensorListGetItem\): index must be 0..3, got {k}"):
        predict(model, x=X, k=k)


def setting(count: int, k: int, *dims: int, stacked: tuple[int, ...] = (-1,), **attributes: Any) -> Graph:
    x = x_input(3)
    empty = reserve(scalar("count", count), *dims)
    full = set_item("set", out(empty), scalar("k", k), x)
    return graph_of(empty, full, stack(out(full), *stacked, **attributes), inputs=[x])


def test_items_that_were_never_set_are_zeros() -> None:
    (y,) = predict(built(setting(3, 1, 3)), x=[1, 2, 3])
    np.testing.assert_array_equal(y, np.array([[0, 0, 0], [1, 2, 3], [0, 0, 0]], np.float32), strict=True)


def test_the_shape_of_zeros_is_that_of_the_other_items() -> None:
    (y,) = predict(built(setting(2, 0, -1)), x=[1, 2, 3])
    np.testing.assert_array_equal(y, np.array([[1, 2, 3], [0, 0, 0]], np.float32))


def test_setting_the_item_behind_the_last_makes_the_list_longer() -> None:
    (y,) = predict(built(setting(1, 1, 3, num_elements=2)), x=[1, 2, 3])
    np.testing.assert_array_equal(y, np.array([[0, 0, 0], [1, 2, 3]], np.float32))
    with pytest.raises(KernelError, match=r"'set' \(TensorListSetItem\): index must be 0..1, got 2"):
        predict(built(setting(1, 2, 3)), x=[1, 2, 3])


def test_setting_an_item_leaves_the_other_list_alone() -> None:
    x = x_input()
    items = split(x, 3)
    row = get_item("row", out(items), scalar("last", 3), 3)
    changed = set_item("set", out(items), scalar("first", 0), out(row))
    end = binary("end", "SubFusion", out(old := stack(out(items), 3)), out(new := stack(out(changed), 3)))
    (y,) = predict(built(graph_of(items, row, changed, old, new, end, inputs=[x])), x=X)
    np.testing.assert_array_equal(y, np.concatenate([X[:1] - X[3:], np.zeros((3, 3))]))


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (setting(2, 0, 4), r"'set' \(TensorListSetItem\): item must have shape \[4\], got \[3\]"),
        (
            setting(2, 0, 3, stacked=(4,)),
            r"'stack' \(TensorListStack\): element_shape must have shape \[3\], got \[4\]",
        ),
        (setting(2, 0, 3, element_dtype=DataType.INT32), r"element_dtype must be float32, got int32"),
        (setting(2, 0, 3, element_dtype=DataType.STRING), r"element type STRING cannot be computed with"),
        (setting(2, 0, 3, element_dtype=99), r"element type 99 is not known"),
    ],
)
def test_what_does_not_fit_is_seen_while_building(graph: Graph, message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        built(graph)


def test_errors_that_only_show_at_run_time() -> None:
    with pytest.raises(KernelError, match=r"'stack' \(TensorListStack\): the list must have 3 items, it has 2"):
        predict(built(setting(2, 0, 3, num_elements=3)), x=[1, 2, 3])
    x, count = x_input(3), Value("count", I32, ())
    empty = reserve(count, -1, -1)
    model = built(graph_of(empty, stack(out(empty), -1), inputs=[x, count]))
    with pytest.raises(KernelError, match=r"item 0 was never set, and type float32, shape \[-1, -1\] do not define it"):
        predict(model, x=[1, 2, 3], count=1)
    with pytest.raises(KernelError, match=r"num_elements must be >= 0, got -1"):
        predict(model, x=[1, 2, 3], count=-1)


def test_items_of_different_shapes_cannot_be_stacked() -> None:
    x, z = x_input(3), Value("z", F32, (2,))
    empty = reserve(scalar("count", 2), -1)
    one = set_item("one", out(empty), scalar("k0", 0), x)
    two = set_item("two", out(one), scalar("k1", 1), z)
    model = built(graph_of(empty, one, two, stack(out(two), -1), inputs=[x, z]))
    with pytest.raises(KernelError, match=r"'stack' \(TensorListStack\): item 1 must have shape \[3\], got \[2\]"):
        predict(model, x=[1, 2, 3], z=[1, 2])


def test_a_tensor_in_place_of_a_list() -> None:
    x = x_input()
    with pytest.raises(ShapeError, match=r"input 0 must be a tensor list, got a tensor float32 \[4, 3\]"):
        built(graph_of(stack(x, 3), inputs=[x]))


def test_a_list_in_place_of_a_tensor() -> None:
    x = x_input()
    items = split(x, 3)
    with pytest.raises(ShapeError, match=r"'set' \(TensorListSetItem\): item must be a tensor .* got a tensor list"):
        built(graph_of(items, set_item("set", out(items), scalar("k", 0), out(items)), inputs=[x]))
    with pytest.raises(
        GraphError, match=r"Output 'split:0' of the model must be a tensor, found a tensor list of float32"
    ):
        built(graph_of(items, inputs=[x]))


@pytest.mark.parametrize("rows", [0, 2])
def test_a_constant_list(rows: int, tmp_path: Path) -> None:
    """Element type, rank, dimensions, number of items, and each item's rank and dimensions."""
    raw = struct.pack(f"<{4 + 2 * rows}i", FLOAT, 1, 3, rows, *([1, 3] * rows))
    packed = PackedWeights(np.frombuffer(raw, np.uint8), WeightQuantCompressType.NONE)
    start = Value("start", LIST, (), packed=packed)
    x = x_input(3)
    full = set_item("set", start, scalar("k", rows), x)
    write_ms(graph_of(full, stack(out(full), 3), inputs=[x]), tmp_path / "model.ms")
    model = Model()
    model.build_from_file(tmp_path / "model.ms")
    np.testing.assert_array_equal(predict(model, x=[1, 2, 3])[0], [[0, 0, 0]] * rows + [[1, 2, 3]])


def recurrent(steps: int | None) -> Graph:
    """h = x[t] + h / 2 for each row t of x, all h stacked: the way a converter writes TensorFlow's dynamic_rnn."""
    n = Value("n", I32, ())
    x = Value("x", F32, (-1 if steps is None else steps, 3))

    def state(prefix: str) -> list[Value]:
        described = [("t", I32, ()), ("n", I32, ()), ("xs", LIST, None), ("hs", LIST, None), ("h", F32, (3,))]
        return [Value(f"{prefix}.{name}", dtype, dims) for name, dtype, dims in described]

    t, count, xs, hs, h = condition = state("condition")
    less = binary("less", "Less", t, count, BOOL)
    go, stop = partial("go", 2, *condition), partial("stop", 3, hs)
    choose, result = switch("choose", out(less), out(go), out(stop)), Value("condition.y", F32, None)
    test = Graph("condition", condition, [result], [less, go, stop, choose, call("either", out(choose), result)])

    t, count, xs, hs, h = inputs = state("body")
    row = get_item("row", xs, t, 3)
    half = binary("half", "MulFusion", h, constant("factor", np.full(1, 0.5, np.float32)))
    new = binary("new", "AddFusion", out(row), out(half))
    kept = set_item("keep", hs, t, out(new))
    later = binary("later", "AddFusion", t, scalar("one", 1), I32)
    again, result = partial("again", 1, out(later), count, xs, out(kept), out(new)), Value("body.y", F32, None)
    nodes = [row, half, new, kept, later, again, call("next", out(again), result)]
    body = Graph("body", inputs, [result], nodes)

    last = a_list("exit.hs")
    stacked = stack(last, 3)
    items, empty, y = split(x, 3), reserve(n, 3), Value("y", F32, None)
    zero = constant("h0", np.zeros(3, np.float32))
    start = partial("start", 1, scalar("t0", 0), n, out(items), out(empty), zero)
    main = [items, empty, start, call("loop", out(start), y)]
    return Graph("main", [n, x], [y], main, [test, body, Graph("exit", [last], [out(stacked)], [stacked])])


def recurrent_by_hand(x: Array) -> Array:
    h, all_h = np.zeros(3, np.float32), []
    for row in x:
        h = row + h * np.float32(0.5)
        all_h.append(h)
    return np.array(all_h, np.float32).reshape(-1, 3)


@pytest.mark.parametrize("steps", [0, 1, 4])
def test_a_recurrent_loop(steps: int, tmp_path: Path) -> None:
    x = np.random.default_rng(steps).normal(size=(steps, 3)).astype(np.float32)
    write_ms(recurrent(None), tmp_path / "model.ms")
    model = Model()
    model.build_from_file(tmp_path / "model.ms")
    assert model.get_outputs()[0].shape == [-1, 3]
    np.testing.assert_array_equal(predict(model, n=steps, x=x)[0], recurrent_by_hand(x), strict=True)


# --- tensor arrays ---


def array(size: Value, **attributes: Any) -> Node:
    outputs = [Value("array", I32, ()), Value("flow", F32, ())]
    return node("make", "TensorArray", [size], *outputs, **{"data_type": FLOAT} | attributes)


def write(name: str, made: Node, index: Value, item: Value, flow: Value | None = None) -> Node:
    inputs = [out(made), index, item, *([] if flow is None else [flow])]
    return node(name, "TensorArrayWrite", inputs, Value(f"{name}.flow", F32, ()))


def read(name: str, made: Node, index: Value, *flow: Value) -> Node:
    return node(name, "TensorArrayRead", [out(made), index, *flow])


def array_model(*writes: int, at: int, size: int = 2, **attributes: Any) -> Model:
    """Writes x + k to item k for each k of ``writes``, then reads item ``at``; ordered by flow."""
    x = x_input(3)
    made = array(scalar("size", size), **attributes)
    nodes, flow = [made], made.outputs[1]
    for k in writes:
        plus = binary(f"plus{k}", "AddFusion", x, constant(f"{k}", np.full(1, k, np.float32)))
        nodes += [plus, write(f"write{k}", made, scalar(f"at{k}", k), out(plus), flow)]
        flow = out(nodes[-1])
    nodes.append(read("read", made, scalar("at", at), flow))
    return built(graph_of(*nodes, inputs=[x]))


def test_write_and_read() -> None:
    for at in (0, 1):
        model = array_model(1, 0, at=at, element_shape=(3,))
        assert model.get_outputs()[0].shape == [3]
        np.testing.assert_array_equal(predict(model, x=[1, 2, 3])[0], np.array([1, 2, 3], np.float32) + at)


def test_what_was_never_written_is_zeros_where_the_shape_is_known() -> None:
    np.testing.assert_array_equal(predict(array_model(0, at=1, element_shape=(3,)), x=[1, 2, 3])[0], [0, 0, 0])
    uniform = array_model(0, at=1, identical_element_shapes=True)
    np.testing.assert_array_equal(predict(uniform, x=[1, 2, 3])[0], [0, 0, 0])
    with pytest.raises(KernelError, match=r"'read' \(TensorArrayRead\): item 1 was never set"):
        predict(array_model(0, at=1), x=[1, 2, 3])


def test_a_dynamic_array_grows() -> None:
    np.testing.assert_array_equal(predict(array_model(5, at=5, dynamic_size=True), x=[1, 2, 3])[0], [6, 7, 8])
    with pytest.raises(KernelError, match=r"'write5' \(TensorArrayWrite\): index must be 0..1, got 5"):
        predict(array_model(5, at=5), x=[1, 2, 3])
    with pytest.raises(KernelError, match=r"'read' \(TensorArrayRead\): index must be 0..1, got 2"):
        predict(array_model(0, at=2), x=[1, 2, 3])


def test_what_does_not_fit_an_array() -> None:
    with pytest.raises(ShapeError, match=r"'write0' \(TensorArrayWrite\): item must have shape \[4\], got \[3\]"):
        array_model(0, at=0, element_shape=(4,))
    with pytest.raises(ShapeError, match=r"'write0' \(TensorArrayWrite\): item must be int32, got float32"):
        array_model(0, at=0, data_type=DataType.INT32)
    with pytest.raises(ShapeError, match=r"'read' .* data_type of the tensor array must say the element type"):
        array_model(0, at=0, data_type=0)
    with pytest.raises(KernelError, match=r"'make' \(TensorArray\): size must be >= 0, got -1"):
        predict(array_model(0, at=0, size=-1), x=[1, 2, 3])


def test_without_flow_the_order_of_the_file_counts() -> None:
    """Two writes of one item around a read; the flow of neither is read by anybody."""
    x = x_input(3)
    made = array(scalar("size", 1))
    zero = scalar("zero", 0)
    twice = binary("twice", "AddFusion", x, x)
    nodes = [
        made,
        write("first", made, zero, x),
        twice,
        read("read", made, zero),
        write("second", made, zero, out(twice)),
    ]
    graph = Graph("main", [x], [out(nodes[3]), out(twice)], nodes)
    got, _ = predict(built(graph), x=[1, 2, 3])
    np.testing.assert_array_equal(got, [1, 2, 3])


def test_each_prediction_has_an_array_of_its_own() -> None:
    model = array_model(0, at=1, size=1, dynamic_size=True, element_shape=(3,))
    for _ in range(2):
        with pytest.raises(KernelError, match=r"index must be 0..0, got 1"):
            predict(model, x=[1, 2, 3])


def test_a_handle_crosses_into_a_subgraph() -> None:
    x, y = x_input(3), Value("y", F32, None)
    made = array(scalar("size", 1))
    inner, inner_x = handle("inner.array"), Value("inner.x", F32, (3,))
    done = node("write", "TensorArrayWrite", [inner, scalar("zero", 0), inner_x], Value("write.flow", F32, ()))
    sub = Graph("fill", [inner, inner_x], [out(done)], [done])
    target = partial("target", 1, out(made), x)
    flow = Value("run.flow", F32, ())
    run = call("run", out(target), flow)
    got = node("read", "TensorArrayRead", [out(made), scalar("at", 0), flow], y)
    (result,) = predict(built(Graph("main", [x], [y], [made, target, run, got], [sub])), x=[1, 2, 3])
    np.testing.assert_array_equal(result, [1, 2, 3])


def test_depend_passes_on_a_list() -> None:
    x = x_input()
    items = split(x, 3)
    passed = node("wait", "Depend", [out(items), x], a_list("wait:0"))
    (y,) = predict(built(graph_of(items, passed, stack(out(passed), 3), inputs=[x])), x=X)
    np.testing.assert_array_equal(y, X)
