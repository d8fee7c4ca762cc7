"""Reductions of what was reshaped or transposed; expected values are those of ONNX Runtime."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, cycle
from typing import Any

import numpy as np
import pytest
from onnx import NodeProto, TensorProto, helper, numpy_helper

from lite_delegate import Context, Model, ModelType
from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.backends.openvino.operators import reducing
from lite_delegate.onnx_backend import prepare

pytest.importorskip("openvino", reason="the package openvino is not installed")
onnxruntime = pytest.importorskip("onnxruntime", reason="the package onnxruntime is not installed")
RNG = np.random.default_rng(11)
OPS = ("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare")
Step = tuple[str, Any]
VIEWS: dict[str, tuple[list[int], list[Step]]] = {
    **{f"unsqueeze_{axis}": ([2, 3, 4, 5], [("Unsqueeze", [axis])]) for axis in range(5)},
    "unsqueeze_1_3": ([2, 3, 4], [("Unsqueeze", [1, 3])]),
    "unsqueeze_twice": ([2, 3, 4], [("Unsqueeze", [3]), ("Unsqueeze", [3])]),
    "squeeze": ([2, 1, 3, 4, 1], [("Squeeze", [1, 4])]),
    "squeeze_unsqueeze": ([2, 1, 3, 4], [("Squeeze", [1]), ("Unsqueeze", [2])]),
    "reshape_adds_1": ([2, 3, 4], [("Reshape", [2, 3, 1, 4])]),
    "reshape_moves_1": ([2, 1, 3, 4], [("Reshape", [2, 3, 4, 1])]),
    "reshape_splits": ([2, 6, 4], [("Reshape", [2, 3, 2, 4])]),
    "reshape_joins": ([2, 3, 4, 5], [("Reshape", [6, 4, 5])]),
    "transpose": ([2, 3, 4, 5], [("Transpose", [2, 0, 3, 1])]),
    "transpose_moves_1": ([2, 3, 1, 4], [("Transpose", [0, 2, 1, 3])]),
    "unsqueeze_transpose": ([2, 3, 4], [("Unsqueeze", [2]), ("Transpose", [0, 2, 1, 3])]),
    "transpose_unsqueeze": ([2, 3, 4], [("Transpose", [2, 0, 1]), ("Unsqueeze", [3])]),
}


class Chains:
    """A model of chains that have an input each: what is read twice is not moved."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []
        self.inputs: dict[str, Any] = {}
        self.outputs: list[str] = []

    def add(self, shape: list[int], *steps: Step, **attributes: Any) -> None:
        """A chain; the attributes are those of its reductions."""
        name = f"x{len(self.inputs)}"
        self.inputs[name] = RNG.uniform(0.5, 1.5, shape).astype(np.float32)
        for op, value in steps:
            name = self._step(name, op, value, attributes if op.startswith("Reduce") else {})
        self.outputs.append(name)

    def _step(self, x: str, op: str, value: Any, attributes: dict[str, Any]) -> str:
        y, given = f"v{len(self.nodes)}", [x]
        if op == "Transpose":
            attributes = {"perm": value}
        elif value is not None:
            given.append(f"{y}_given")
            self.constants.append(numpy_helper.from_array(np.array(value, np.int64), given[1]))
        self.nodes.append(helper.make_node(op, given, [y], **attributes))
        return y

    def model(self) -> Any:
        inputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, x.shape) for n, x in self.inputs.items()]
        made = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in self.outputs]
        graph = helper.make_graph(self.nodes, "g", inputs, made, self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)

    def are_right(self, delegate: OpenVINODelegate) -> None:
        model = self.model()
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        prepared = prepare(model, delegate=delegate)
        assert all(node.subgraph is not None for node in prepared.model.get_partition().nodes)
        wanted = session.run(None, self.inputs)
        for found, want in zip(prepared.run(list(self.inputs.values())), wanted, strict=True):
            assert found.shape == want.shape
            np.testing.assert_allclose(found, want, rtol=1e-5, atol=1e-5)


def some_axes(rank: int) -> Iterator[list[int]]:
    for count in range(1, rank + 1):
        yield from map(list, combinations(range(rank), count))


def rank_of(shape: list[int], steps: list[Step]) -> int:
    functions: dict[str, Callable[[Any, Any], Any]] = {
        "Unsqueeze": lambda x, v: np.expand_dims(x, tuple(v)),
        "Squeeze": lambda x, v: np.squeeze(x, tuple(v)),
        "Reshape": np.reshape,
        "Transpose": np.transpose,
    }
    x: Any = np.zeros(shape)
    for op, value in steps:
        x = functions[op](x, value)
    return int(x.ndim)


@pytest.mark.parametrize("keeps", [1, 0])
@pytest.mark.parametrize("view", VIEWS)
def test_reductions_of_views(view: str, keeps: int) -> None:
    shape, steps = VIEWS[view]
    chains, ops = Chains(), cycle(OPS)
    for axes in some_axes(rank_of(shape, steps)):
        for _ in range(3):
            chains.add(shape, *steps, (next(ops), axes), keepdims=keeps)
    chains.are_right(OpenVINODelegate(threads=1))


def test_all_reductions_of_an_added_dimension() -> None:
    chains = Chains()
    for op in OPS:
        for axes in ([0], [1], [2], [0, 2]):
            chains.add([2, 3, 4, 5], ("Unsqueeze", [3]), (op, axes), keepdims=1)
            chains.add([2, 3, 4, 5], ("Unsqueeze", [4]), (op, axes), keepdims=1)
    chains.are_right(OpenVINODelegate(threads=1))


@pytest.mark.parametrize("behind", [True, False])
@pytest.mark.parametrize("axes", [[0], [0, 3], [3]])
def test_dimensions_of_1_that_are_moved_around_a_reduction_without_them(axes: list[int], behind: bool) -> None:
    from openvino import Core, Model, Type

    opset, x = openvino_opset(), RNG.uniform(-1, 1, (2, 3, 1, 5)).astype(np.float32)
    parameter = opset.parameter(list(x.shape), Type.f32)
    given, want = parameter.output(0), x
    if not behind:
        given, want = opset.transpose(given, np.array([0, 2, 1, 3])).output(0), x.transpose(0, 2, 1, 3)
    y, want = reducing.reduced("reduce_max", given, axes, keeps=False), want.max(tuple(axes))
    if behind:
        order = [1, 0, *range(2, want.ndim)]
        y, want = opset.transpose(y, np.array(order)).output(0), want.transpose(order)
    compiled = Core().compile_model(Model([opset.result(y)], [parameter], "m"), "CPU")
    np.testing.assert_array_equal(compiled([x])[0], want, strict=True)


def test_what_the_runtime_compiles_wrongly_is_built_in_smaller_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    def unguarded(name: str, x: Any, axes: Any, *, keeps: bool) -> Any:
        return getattr(openvino_opset(), name)(x, np.array(list(axes), np.int64), keeps).output(0)

    monkeypatch.setattr("lite_delegate.backends.openvino.operators.reductions.reduced", unguarded)
    chains = Chains()
    chains.add([2, 3, 4, 5], ("Unsqueeze", [3]), ("ReduceMean", [0]), keepdims=1)
    context, model = Context(), Model()
    context.set_delegate(OpenVINODelegate(threads=1))
    model.build_from_buffer(chains.model().SerializeToString(), ModelType.MINDIR_LITE, context)
    partition = model.get_partition()
    assert any("has shape (1, 3, 1, 4, 5) instead of (1, 3, 4, 1, 5)" in note for note in partition.notes)
    assert len({node.subgraph for node in partition.nodes}) == 2
    (y,) = model.predict(chains.inputs)
    (x,) = chains.inputs.values()
    np.testing.assert_allclose(y.data, np.expand_dims(x.mean(0), (0, 3)), rtol=1e-6)


def openvino_opset() -> Any:
    from openvino import opset16

    return opset16


def test_a_reduction_of_what_is_computed_stays_as_it_is() -> None:
    opset, axes = openvino_opset(), [1]
    x = opset.relu(opset.parameter([2, 3, 4], np.float32)).output(0)
    reduced = reducing.reduced("reduce_mean", x, axes, keeps=True)
    assert reduced.get_node().get_type_name() == "ReduceMean"
    turned = opset.transpose(x, np.array([0, 2, 1])).output(0)
    assert reducing.reduced("reduce_mean", turned, axes, keeps=True).get_node().input_value(0) == turned
