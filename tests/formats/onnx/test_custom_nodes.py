"""Operators of ONNX files that have no counterpart, as Custom nodes: imported, written, reported, run."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate import (
    Context,
    DataType,
    Delegate,
    DelegateModel,
    Kernel,
    Model,
    RejectCode,
    Rejected,
    Supported,
    UnsupportedOperatorError,
)
from lite_delegate.delegate import SupportResult
from lite_delegate.errors import ModelFormatError
from lite_delegate.formats.ms import read_ms, write_ms
from lite_delegate.ir import Graph, Node, custom_attributes, custom_type
from lite_delegate.passes.optimize import optimize

onnx = pytest.importorskip("onnx")
comparing = importlib.import_module("tests.formats.onnx.comparing")
helper, FLOAT, INT64 = onnx.helper, onnx.TensorProto.FLOAT, onnx.TensorProto.INT64

X = np.arange(6, dtype=np.float32).reshape(2, 3)
TABLE = np.arange(4, dtype=np.int64)
BODY = helper.make_graph(
    [helper.make_node("Add", ["x", "inner"], ["sum"])],
    "body",
    [],
    [helper.make_tensor_value_info("sum", FLOAT, [2, 3])],
    [onnx.numpy_helper.from_array(np.ones(3, np.float32), "inner")],
)
ATTRIBUTES = {
    "alpha": 0.5,
    "count": 3,
    "kind": "fast",
    "sizes": [1, 2],
    "slopes": [0.25, 2.0],
    "words": ["a", "b"],
    "table": onnx.numpy_helper.from_array(TABLE, "table"),
    "body": BODY,
}


def _model(nodes: Sequence[Any], outputs: Sequence[Any], infos: Sequence[Any] = ()) -> Any:
    x = helper.make_tensor_value_info("x", FLOAT, [2, 3])
    graph = helper.make_graph(nodes, "g", [x], outputs, value_info=infos)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("com.acme", 4)])


def _info(name: str, shape: Any = None, kind: int = FLOAT) -> Any:
    return helper.make_tensor_value_info(name, kind, shape)


def _single(**attributes: Any) -> Any:
    node = helper.make_node("Blend", ["x", "", "x"], ["y"], name="blend", domain="com.acme", **attributes)
    return _model([node], [_info("y", [2, 3])])


def _only_custom(graph: Graph) -> Node:
    (node,) = [n for n in graph.nodes if n.op_type == "Custom"]
    return node


def _check_attributes(node: Node) -> None:
    found = custom_attributes(node.primitive)
    assert custom_type(node.primitive) == "com.acme.Blend"
    for name in ("alpha", "count", "kind", "sizes", "slopes", "words"):
        assert found[name] == ATTRIBUTES[name]
    assert found["table"].tolist() == TABLE.tolist()
    assert found["table"].dtype == np.int64
    body = onnx.GraphProto.FromString(found["body"].removeprefix(b"onnx.GraphProto:"))
    assert body == BODY
    assert found["@version"] == 4
    assert found["@inputs"] == [0, 2, 3]
    assert found["@captured"] == ["x"]


def test_everything_of_an_unknown_operator_is_kept(tmp_path: Path) -> None:
    graph = comparing.imported(_single(**ATTRIBUTES))
    node = _only_custom(graph)
    _check_attributes(node)
    assert [value.name for value in node.inputs if value is not None] == ["x"] * 3
    assert [(s.name, s.op_type) for s in node.sources] == [("blend", "com.acme.Blend")]
    assert (graph.outputs[0].name, graph.outputs[0].shape) == ("y", (2, 3))
    write_ms(optimize(graph, "general").graph, tmp_path / "model.ms")
    again = _only_custom(read_ms(tmp_path / "model.ms"))
    _check_attributes(again)
    assert again.primitive == node.primitive


def test_contents_of_large_tensors_in_attributes_are_whole() -> None:
    large = np.arange(4096, dtype=np.float32)
    inner = helper.make_graph(
        [helper.make_node("Add", ["x", "inner"], ["sum"])], "body", [], [_info("sum")],
        [onnx.numpy_helper.from_array(large, "inner")],
    )  # fmt: skip
    found = custom_attributes(
        _only_custom(comparing.imported(_single(table=onnx.numpy_helper.from_array(large, "t"), body=inner))).primitive
    )
    assert found["table"].tobytes() == large.tobytes()
    body = onnx.GraphProto.FromString(found["body"].removeprefix(b"onnx.GraphProto:"))
    assert body.initializer[0].raw_data == large.tobytes()


@pytest.mark.parametrize(
    ("reader", "infos", "dtype", "shape"),
    [
        (("Relu", ["a"]), [_info("a", [2, "n"])], DataType.FLOAT32, (2, -1)),
        (("Relu", ["a"]), [], DataType.FLOAT32, None),
        (("Add", ["a", "whole"]), [], DataType.INT64, None),
        (("Reshape", ["x", "a"]), [], DataType.INT64, None),
        (("Not", ["a"]), [], DataType.BOOL, None),
    ],
)
def test_outputs_are_what_the_model_declares_or_their_readers_need(
    reader: Any, infos: Sequence[Any], dtype: DataType, shape: Any
) -> None:
    nodes = [
        helper.make_node("Size", ["x"], ["whole"]),
        helper.make_node("Mystery", ["x"], ["a"], domain="com.acme"),
        helper.make_node(*reader, ["y"]),
    ]
    (made,) = _only_custom(comparing.imported(_model(nodes, [_info("y")], infos))).outputs
    assert (made.dtype, made.shape) == (dtype, shape)


def test_a_variant_without_a_counterpart_has_the_shape_that_onnx_infers() -> None:
    model = _model([helper.make_node("LRN", ["x4"], ["y"], size=4)], [helper.make_tensor_value_info("y", FLOAT, None)])
    model.graph.input.append(_info("x4", [1, 8, 2, 2]))
    node = _only_custom(comparing.imported(model))
    assert (custom_type(node.primitive), node.outputs[0].shape) == ("ai.onnx.LRN", (1, 8, 2, 2))


def test_a_function_that_onnx_defines_is_one_custom_node_where_its_body_has_no_counterpart() -> None:
    node = helper.make_node("Bernoulli", ["x"], ["y"], name="flip")
    (made,) = comparing.imported(_model([node], [_info("y")])).nodes
    assert (made.name, custom_type(made.primitive)) == ("flip", "ai.onnx.Bernoulli")


def test_a_wrong_number_of_inputs_is_damage() -> None:
    with pytest.raises(ModelFormatError, match=r"node 'y' \(LRN\): takes 1 to 1 inputs, has 2"):
        comparing.imported(_model([helper.make_node("LRN", ["x", "x"], ["y"], size=4)], [_info("y")]))


def test_nobody_runs_it() -> None:
    with pytest.raises(UnsupportedOperatorError) as error:
        Model().build_from_graph(comparing.imported(_single()))
    text = str(error.value)
    assert "'blend' (Custom, FLOAT32): it stands for com.acme.Blend (version 4), OPERATOR: there is no" in text
    assert "Context.register_custom was not called for its type 'com.acme.Blend'" in text
    assert "The CPU has" not in text


def test_a_registered_kernel_runs_it() -> None:
    context = Context()
    context.register_custom(
        "com.acme.Blend", lambda inputs, attributes: np.sum([x for x in inputs if x is not None], axis=0)
    )
    model = Model()
    model.build_from_graph(comparing.imported(_single(alpha=2.0)), context)
    (y,) = model.predict({"x": X})
    np.testing.assert_array_equal(y.get_data_to_numpy(), 2 * X)


class _Scaling(Kernel):
    def execute(self) -> None:
        alpha = custom_attributes(self.primitive)["alpha"]  # type: ignore[arg-type]
        self.outputs[0].data = self.inputs[0].data * np.float32(alpha)


class _Blending(Delegate):
    name = "blending"

    def supports(self, kernel: Kernel) -> SupportResult:
        assert kernel.primitive is not None
        if custom_type(kernel.primitive) == "com.acme.Blend":
            return Supported()
        return Rejected(RejectCode.OPERATOR, f"no {kernel.type}")

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        (only,) = run
        return _Scaling("scaling", "Scaling", only.inputs, only.outputs, only.primitive)


def test_a_delegate_takes_it() -> None:
    context = Context()
    context.set_delegate(_Blending())
    model = Model()
    model.build_from_graph(comparing.imported(_single(alpha=3.0)), context)
    assert [node.device for node in model.get_partition().nodes] == ["blending"]
    (y,) = model.predict({"x": X})
    np.testing.assert_array_equal(y.get_data_to_numpy(), 3 * X)


def test_a_report_shows_it_with_its_reason() -> None:
    context = Context()
    context.plan_only = True
    context.set_delegate(_Blending())
    nodes = [
        helper.make_node("Blend", ["x"], ["a"], name="blend", domain="com.acme"),
        helper.make_node("Mystery", ["a"], ["b"], name="mystery", domain="com.acme", depth=2),
        helper.make_node("Relu", ["b"], ["y"], name="relu"),
    ]
    model = Model()
    model.build_from_graph(comparing.imported(_model(nodes, [_info("y")], [_info("a", [2, 3])])), context)
    record = model.get_partition()
    assert [(node.name, node.device) for node in record.nodes] == [
        ("blend", "blending"),
        ("mystery", "CPU"),
        ("relu", "CPU"),
    ]
    assert "it stands for com.acme.Mystery (version 4), OPERATOR" in record.nodes[1].reason
    assert record.nodes[1].attributes["depth"] == 2
    (note,) = [note for note in record.notes if "can run nowhere" in note]
    assert note.startswith("1 node can run nowhere: 'mystery' (com.acme.Mystery, FLOAT32)")
