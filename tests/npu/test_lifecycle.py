"""Models on the device from build to end: several at once, resized, dropped in any order, with memory given back."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from lite_delegate import Context, InputError, LiteDelegateError, Model, RejectCode, Rejected
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive
from lite_delegate.npu import Device, NPUDelegate
from tests.runtime import control_graphs as control
from tests.runtime.failing import run
from tests.runtime.graphs import binary, chain, unary, value

X = np.arange(6, dtype=np.float32).reshape(2, 3)


class Without(NPUDelegate):
    """The NPU without the nodes of these names."""

    def __init__(self, *rejected: str, device: Device | None = None) -> None:
        super().__init__(device=device)
        self.rejected = rejected

    def supports(self, kernel):
        return Rejected(RejectCode.POLICY, "rejected") if kernel.name in self.rejected else super().supports(kernel)


def model_of(graph: Graph, delegate: NPUDelegate) -> Model:
    context = Context()
    context.set_delegate(delegate)
    model = Model()
    model.build_from_graph(graph, context)
    return model


def names(model: Model) -> list[str]:
    return [s.name for s in model.get_partition().subgraphs]


@pytest.mark.parametrize("count", [19, 20, 21, 40, 41])
def test_any_number_of_models_is_loaded_and_each_computes_its_own(count: int):
    """Devices that take programs in batches of 20 have their faults at these numbers."""
    delegate = NPUDelegate()
    models = [model_of(scaled(n), delegate) for n in range(count)]
    assert delegate.device.programs == count
    for n, model in enumerate(models):
        np.testing.assert_array_equal(run(model, x=X)[0][0], X * n)
    del models[::2], model
    gc.collect()
    assert delegate.device.programs == count // 2
    for n, model in enumerate(models):
        np.testing.assert_array_equal(run(model, x=X)[0][0], X * (2 * n + 1))


@pytest.mark.parametrize("count", [19, 20, 21, 40, 41])
def test_any_number_of_subgraphs_in_one_model(count: int):
    graph = chain(2 * count)
    rejected = [node.name for node in graph.nodes[1::2]]
    delegate = Without(*rejected)
    model = model_of(graph, delegate)
    assert names(model) == [f"NpuGraph{i}" for i in range(count)]
    assert delegate.device.programs == count
    total = sum(range(1, 2 * count + 1))
    x = np.full((2, 3), -(total // 2), np.float32)  # float16 holds whole numbers up to 2048
    np.testing.assert_array_equal(run(model, x=x)[0][0], x + total)


def scaled(factor: int) -> Graph:
    """Graphs of the same names and shapes; only the constant differs."""
    x = value("x")
    node = binary("n", x, constant("c", np.full((1,), factor, np.float32)), "MulFusion")
    return Graph("main", [x], list(node.outputs), [node])


def test_the_same_graph_built_twice_with_one_delegate_object():
    graph, delegate = chain(3), Without("n1")
    first, second = model_of(graph, delegate), model_of(graph, delegate)
    assert names(first) == names(second) == ["NpuGraph0", "NpuGraph1"]
    assert delegate.device.programs == 4
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda n: run_quietly((first, second)[n % 2], X + n), range(32)))
    for n, result in enumerate(results):
        np.testing.assert_array_equal(result, X + n + 6)


def run_quietly(model: Model, x: np.ndarray) -> np.ndarray:
    return model.predict({"x": x})[0].get_data_to_numpy()


def test_two_delegates_on_one_device():
    device = Device()
    models = [model_of(scaled(n), NPUDelegate(device=device)) for n in (2, 3)]
    assert device.programs == 2
    for model, n in zip(models, (2, 3), strict=True):
        np.testing.assert_array_equal(run(model, x=X)[0][0], X * n)


def test_a_model_keeps_its_delegate_to_close_it_and_gives_the_memory_back():
    delegate = NPUDelegate()
    device, reference = delegate.device, weakref.ref(delegate)
    context = Context()
    context.set_delegate(delegate)
    model = Model()
    model.build_from_graph(chain(3), context)
    del delegate
    context.set_delegate(None)
    gc.collect()
    assert reference() is not None
    np.testing.assert_array_equal(run(model, x=X)[0][0], X + 6)
    assert device.is_open
    del model
    gc.collect()
    assert reference() is None
    assert (device.programs, device.is_open) == (0, False)


def test_a_delegate_outlives_its_models():
    delegate = NPUDelegate()
    for n in range(5):
        np.testing.assert_array_equal(run(model_of(scaled(n), delegate), x=X)[0][0], X * n)
    gc.collect()
    assert delegate.device.programs == 0


def test_a_model_that_could_not_be_built_leaves_nothing_on_the_device():
    x = value("x")
    first = unary("first", x)
    odd = Node("odd", make_primitive("Custom", type="Odd"), list(first.outputs), [value("odd:0")])
    delegate = NPUDelegate()
    with pytest.raises(LiteDelegateError, match="can run nowhere"):
        model_of(Graph("main", [x], list(odd.outputs), [first, odd]), delegate)
    gc.collect()
    assert delegate.device.programs == 0


def test_resize_to_the_same_shape_a_new_one_and_back():
    delegate = Without("n1")
    model = model_of(chain(3), delegate)
    (x,) = model.get_inputs()
    for shape, programs in (([2, 3], 2), ([5, 3], 4), ([2, 3], 4), ([5, 3], 4), ([1, 1], 6)):
        model.resize([x], [shape])
        assert delegate.device.programs == programs
        assert names(model) == ["NpuGraph0", "NpuGraph1"]
        fed = np.full(shape, 2, np.float32)
        np.testing.assert_array_equal(run(model, x=fed)[0][0], fed + 6)
    del model, x
    gc.collect()
    assert delegate.device.programs == 0


def test_the_plan_that_goes_first_gives_its_memory_back():
    delegate = NPUDelegate()
    model = model_of(chain(1), delegate)
    for rows in range(1, 40):
        model.resize(model.get_inputs(), [[rows, 3]])
    gc.collect()
    assert delegate.device.programs == 16


def test_a_failed_resize_leaves_the_programs_as_they_were():
    a, b = value("a"), value("b")
    both = binary("both", a, b)
    delegate = NPUDelegate()
    model = model_of(Graph("main", [a, b], list(both.outputs), [both]), delegate)
    for dims in ([[2, 3], [5, 7]], [[2, 3]], [[2, 3], [-1, 3]]):
        with pytest.raises((LiteDelegateError, InputError)):
            model.resize(model.get_inputs(), dims)
        gc.collect()
        assert delegate.device.programs == 1
        np.testing.assert_array_equal(run(model, a=X, b=X)[0][0], 2 * X)


def test_names_are_unique_over_the_graphs_of_a_model():
    """The main graph and each branch number their graph kernels from 0."""
    graph = control.if_else(lambda x: control.add("one", x, 1), lambda x: control.multiply("two", x, 2))
    model = model_of(graph, NPUDelegate())
    assert len(names(model)) == len(set(names(model))) == 2
    for c, expected in ((True, X + 1), (False, X * 2)):
        (y,) = control.predict(model, c=c, x=X)
        np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("rejected", [("a",), ("b",), ()])
def test_a_constant_that_device_and_cpu_share_keeps_its_data(rejected: Sequence[str]):
    x = value("x")
    shared = constant("shared", np.array([[1, 2, 3]], np.float32))
    a = binary("a", x, shared)
    b = binary("b", a.outputs[0], shared, "MulFusion")
    model = model_of(Graph("main", [x], list(b.outputs), [a, b]), Without(*rejected))
    for _ in range(3):
        np.testing.assert_array_equal(run(model, x=X)[0][0], (X + [[1, 2, 3]]) * [[1, 2, 3]])
        gc.collect()
    assert shared.data is not None
    assert shared.data.tolist() == [[1, 2, 3]]


def test_a_tensor_that_two_nodes_of_a_subgraph_read_crosses_once():
    x = value("x")
    outside = unary("outside", x)
    a, b = binary("a", outside.outputs[0], outside.outputs[0]), unary("b", outside.outputs[0], "RELU")
    end = binary("end", a.outputs[0], b.outputs[0])
    model = model_of(Graph("main", [x], list(end.outputs), [outside, a, b, end]), Without("outside"))
    (record,) = model.get_partition().subgraphs
    assert record.inputs == ("outside:0",)
    np.testing.assert_array_equal(run(model, x=X)[0][0], 3 * np.maximum(X, 0))


def branches(count: int) -> Graph:
    inputs = [value(f"x{i}") for i in range(count)]
    nodes: list[Node] = []
    for i, x in enumerate(inputs):
        nodes.append(binary(f"n{i}", x, constant(f"c{i}", np.full((1,), i, np.float32))))
    outputs: list[Value] = [n.outputs[0] for n in nodes]
    return Graph("main", inputs, outputs, nodes)


def test_unconnected_branches_are_one_subgraph_of_several_programs():
    delegate = NPUDelegate()
    model = model_of(branches(3), delegate)
    assert names(model) == ["NpuGraph0"]
    assert delegate.device.programs == 3
    results, _ = run(model, **{f"x{i}": X * i for i in range(3)})
    for i, result in enumerate(results):
        np.testing.assert_array_equal(result, X * i + i)


def test_weights_that_are_loaded_with_the_first_prediction_give_the_same_bits():
    results = []
    for deferred in (False, True):
        delegate = NPUDelegate(options={"NPU_DEFER_WEIGHTS_LOAD": deferred})
        model = model_of(branches(2), delegate)
        assert delegate.device.programs == (0 if deferred else 2)
        results.append(run(model, x0=X / 3, x1=X / 7)[0])
        assert delegate.device.programs == 2
    for eager, late in zip(*results, strict=True):
        np.testing.assert_array_equal(eager, late)
