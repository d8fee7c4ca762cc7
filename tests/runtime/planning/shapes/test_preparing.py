"""The graph of a plan: what follows from the shapes of its inputs is constant, and worked out anew for others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from lite_delegate import (
    Boundary,
    Context,
    DataType,
    DelegateModel,
    InputError,
    Kernel,
    Model,
    PartitionOptions,
    Tensor,
)
from lite_delegate.ir import Graph, Source
from lite_delegate.passes.constants import constant_folding
from lite_delegate.testing.delegates import NamedDelegate
from tests.passes.random_graphs import Builder
from tests.present import present

I32 = DataType.INT32


class Baked(Kernel):
    """Reshapes to what a constant said when it was prepared; forks follow."""

    def __init__(self, boundary: Boundary, shape: Tensor) -> None:
        super().__init__("Baked", "Group", boundary.inputs, boundary.outputs)
        self.shape = shape.data

    def execute(self) -> None:
        self.outputs[0].data = self.inputs[0].data.reshape(self.shape)

    def resize(self) -> None:
        """Follows every shape: its constant is that of the node."""

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        boundary = Boundary(tuple(inputs), tuple(outputs), ())
        return Baked(boundary, Tensor.describe("shape", DataType.INT32, self.shape.shape, data=self.shape))


class Baking(NamedDelegate):
    name = "baking"
    builds = 0

    def build(self, model: DelegateModel) -> None:
        self.builds += 1
        super().build(model)

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        (kernel,) = run
        assert kernel.inputs[1].is_const
        return Baked(model.boundary_of(run), kernel.inputs[1])


def view(b: Builder, shape: tuple[int, ...] = (2, 3, 4)) -> Graph:
    """y = x.view(x.size(0), -1), as exporters write it: Shape, Gather, Unsqueeze, Concat, Reshape."""
    x = b.input("x", shape)
    sizes = b.node("Shape", x, shapes=(3,), dtype=I32)
    size = b.node("Gather", sizes, b.const(0, np.int32), b.const(0, np.int32), shapes=(), dtype=I32)
    row = b.node("Unsqueeze", size, shapes=(1,), dtype=I32, axis=[0])
    wanted = b.node("Concat", row, b.const([-1], np.int32), shapes=(2,), dtype=I32, axis=0)
    return b.graph(b.node("Reshape", x, wanted, shapes=(2, 12)))


def built(graph: Graph, delegate: NamedDelegate | None = None, optimize: str = "general") -> tuple[Model, Context]:
    context = Context()
    context.set_delegate(delegate)
    context.optimize = optimize
    model = Model()
    model.build_from_graph(graph, context)
    return model, context


def nodes(model: Model) -> list[tuple[str, str]]:
    return [(node.type, node.device) for node in model.get_partition().nodes]


def test_a_chain_of_shapes_is_one_constant_and_the_delegate_sees_it() -> None:
    model, _ = built(view(Builder()), Baking(["Reshape4"]))
    assert nodes(model) == [("Reshape", "baking")]
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    np.testing.assert_array_equal(model.predict([x])[0].data, x.reshape(2, 12))


@pytest.mark.parametrize("shapes", [((5, 3, 4), (2, 3, 4)), ((4, 2, 2), (1, 9, 1), (5, 3, 4))])
def test_other_shapes_have_other_constants(shapes: Sequence[tuple[int, ...]]) -> None:
    delegate = Baking(["Reshape4"])
    model, _ = built(view(Builder()), delegate)
    for shape in shapes:
        model.resize(model.get_inputs(), [list(shape)])
        x = np.random.default_rng(0).random(shape).astype(np.float32)
        np.testing.assert_array_equal(model.predict([x])[0].data, x.reshape(shape[0], -1))
        assert nodes(model) == [("Reshape", "baking")]
    assert delegate.inits == 1


def test_other_shapes_with_the_same_constants_keep_the_graph_kernels() -> None:
    delegate = Baking(["Reshape4"])
    model, _ = built(view(Builder()), delegate)
    model.resize(model.get_inputs(), [[2, 5, 4]])
    x = np.random.default_rng(0).random((2, 5, 4)).astype(np.float32)
    np.testing.assert_array_equal(model.predict([x])[0].data, x.reshape(2, 20))
    assert delegate.builds == 1


def test_an_unknown_rank_folds_nothing_that_depends_on_it() -> None:
    graph = view(Builder())
    graph.inputs[0].shape = None
    model, _ = built(graph)
    assert [kind for kind, _ in nodes(model)] == ["Shape", "Gather", "Unsqueeze", "Concat", "Reshape"]


def test_without_optimization_the_graph_runs_as_it_is() -> None:
    model, _ = built(view(Builder()), optimize="none")
    assert [kind for kind, _ in nodes(model)] == ["Shape", "Gather", "Unsqueeze", "Concat", "Reshape"]


def test_outputs_that_are_constant_are_given() -> None:
    b = Builder()
    x = b.input("x", (2, 3))
    sizes = b.node("Shape", x, shapes=(2,), dtype=I32)
    doubled = b.node("AddFusion", sizes, sizes, shapes=(2,), dtype=I32)
    model, _ = built(b.graph(sizes, b.node("AddFusion", doubled, b.const([1, 1], np.int32), shapes=(2,), dtype=I32)))
    given = [t.data.tolist() for t in model.predict([np.zeros((2, 3), np.float32)])]
    assert given == [[2, 3], [5, 7]]
    model.resize(model.get_inputs(), [[4, 1]])
    assert [t.data.tolist() for t in model.predict([np.zeros((4, 1), np.float32)])] == [[4, 1], [9, 3]]


def filled(shape: tuple[int, ...]) -> Graph:
    """x plus as many ones as it has elements."""
    b = Builder()
    x = b.input("x", shape)
    sizes = b.node("Shape", x, shapes=(1,), dtype=I32)
    ones = b.node("ConstantOfShape", sizes, shapes=(-1,), dtype=DataType.FLOAT32, value=(1.0,), data_type=43)
    return b.graph(b.node("AddFusion", x, ones))


def test_what_is_filled_to_a_size_is_constant_up_to_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constant_folding, "MAX_FOLDED_BYTES", 8000)
    model, _ = built(filled((2000,)))
    assert len(nodes(model)) == 1
    for count, expected in ((2001, 1), (2002, 2)):  # 4 bytes of the size count as read
        model.resize(model.get_inputs(), [[count]])
        assert len(nodes(model)) == expected
        assert model.predict([np.zeros(count, np.float32)])[0].data.tolist() == [1.0] * count


def test_random_numbers_and_what_is_computed_from_them_stay() -> None:
    b = Builder()
    x = b.input("x", (2, 3))
    sizes = b.node("Shape", x, shapes=(2,), dtype=I32)
    noise = b.node("UniformReal", sizes, shapes=(2, 3), dtype=DataType.FLOAT32, seed=1)
    model, _ = built(b.graph(b.node("AddFusion", x, b.node("AddFusion", noise, b.const(1.0)))))
    assert [kind for kind, _ in nodes(model)] == ["UniformReal", "AddFusion", "AddFusion"]


@pytest.mark.parametrize("is_of_a_file", [True, False])
def test_a_wish_for_a_node_that_is_gone_is_reported(is_of_a_file: bool) -> None:
    graph = view(Builder())
    for place, node in enumerate(graph.nodes):
        node.sources = (Source(f"/{node.name}", node.op_type, (), (place,)),) if is_of_a_file else ()
    context = Context()
    name = "/Gather1" if is_of_a_file else "Gather1"
    context.partition = PartitionOptions(affinity={name: "CPU"})
    with pytest.raises(InputError, match=rf"node '{name}' \(Gather\) of the file is in no node any more: its outputs"):
        Model().build_from_graph(graph, context)


def test_calibration_knows_the_graph_of_the_plan() -> None:
    class Claims(NamedDelegate):
        name = "claims"

    model, _ = built(view(Builder()), Claims(None))
    times = model.calibrate(1)
    assert list(times.host_us) == ["Reshape4"]


def test_the_memory_of_a_graph_is_not_touched() -> None:
    graph = view(Builder())
    before = [(node, list(node.inputs), list(node.outputs)) for node in graph.nodes]
    model, _ = built(graph)
    assert before == [(node, list(node.inputs), list(node.outputs)) for node in graph.nodes]
    assert present(model.compiled.graph.nodes[0]).op_type == "Shape"
