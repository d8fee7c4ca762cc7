"""Quantized models: which kernel runs, what parameters count, whole models against their float twins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate import Context, DataType, Model, PartitionOptions, ShapeError, UnsupportedOperatorError
from lite_delegate.formats.ms import write_ms
from lite_delegate.ir import Graph, Node, QuantParam, Value, constant, make_primitive
from lite_delegate.ir.types.enums import QuantType
from lite_delegate.testing.delegates import NamedDelegate

I8, F32 = DataType.INT8, DataType.FLOAT32
P = QuantParam(scale=0.5, zero_point=3, inited=True)


def value(name: str, shape: tuple[int, ...] | None, dtype: DataType = I8, *params: QuantParam) -> Value:
    return Value(name, dtype, shape, quant_params=params)


def weights(name: str, data: np.ndarray, *params: QuantParam) -> Value:
    made = constant(name, data)
    made.quant_params = params
    return made


def node(
    op: str, inputs: list[Value | None], output: Value, quant_type: QuantType = QuantType.QUANT_ALL, **attributes: Any
) -> Node:
    return Node(op.lower(), make_primitive(op, **attributes), inputs, [output], quant_type)


def predict(graph: Graph, **inputs: np.ndarray) -> np.ndarray:
    model = Model()
    model.build_from_graph(graph)
    return model.predict(inputs)[0].data


def adding(quant_type: QuantType, dtype: DataType, *params: QuantParam) -> Graph:
    a, b, y = (value(name, (3,), dtype, *params) for name in "aby")
    return Graph("main", [a, b], [y], [node("AddFusion", [a, b], y, quant_type)])


A, B = np.array([100, -100, 5]), np.array([100, -100, 7])


@pytest.mark.parametrize("quant_type", [QuantType.QUANT_ALL, QuantType.AwareTraining, QuantType.PostTraining])
def test_marked_nodes_add_what_integers_stand_for(quant_type: QuantType) -> None:
    graph = adding(quant_type, I8, P)
    got = predict(graph, a=A.astype(np.int8), b=B.astype(np.int8))
    assert got.tolist() == [127, -128, 9]


def test_unmarked_nodes_add_integers() -> None:
    got = predict(adding(QuantType.QUANT_NONE, I8, P), a=A.astype(np.int8), b=B.astype(np.int8))
    assert got.tolist() == [-56, 56, 12]


def test_marked_nodes_with_floats_add_floats() -> None:
    graph = adding(QuantType.QUANT_ALL, F32, QuantParam())
    assert predict(graph, a=A.astype(np.float32), b=B.astype(np.float32)).tolist() == [200, -200, 12]


def test_default_parameters_of_float_and_index_tensors_count_for_nothing() -> None:
    x, y = value("x", (2, 3), F32, QuantParam()), value("y", (3, 2), F32, QuantParam())
    shape = weights("shape", np.array([3, 2], np.int32), QuantParam())
    graph = Graph("main", [x], [y], [node("Reshape", [x, shape], y, QuantType.QUANT_WEIGHT)])
    assert predict(graph, x=np.ones((2, 3), np.float32)).shape == (3, 2)


def test_a_default_parameter_of_a_float_output_is_not_taken_for_its_scale() -> None:
    x, y = value("x", (2,), I8, P), value("y", (2,), F32, QuantParam())
    graph = Graph("main", [x], [y], [node("QuantDTypeCast", [x], y, src_t=32, dst_t=43)])
    assert predict(graph, x=np.array([3, 7], np.int8)).tolist() == [0.0, 2.0]


def test_a_marked_node_without_a_quantized_kernel_is_named() -> None:
    x, y = value("x", (3,), I8, P), value("y", (3,), I8, P)
    graph = Graph("main", [x], [y], [node("OnesLike", [x], y)])
    with pytest.raises(UnsupportedOperatorError, match=r"'oneslike' \(OnesLike, INT8\)"):
        predict(graph, x=np.ones(3, np.int8))


def test_missing_parameters_name_the_node() -> None:
    graph = adding(QuantType.QUANT_ALL, I8)
    with pytest.raises(ShapeError, match=r"Node 'addfusion' \(AddFusion\): input 0 must have quantization parameters"):
        predict(graph, a=A.astype(np.int8), b=B.astype(np.int8))


def small_network() -> tuple[Graph, dict[str, np.ndarray]]:
    """float -> int8 convolution with RELU -> mean over the image -> full connection -> float; and its weights."""
    rng = np.random.default_rng(5)
    conv, bias = rng.integers(-127, 128, (6, 3, 3, 2)).astype(np.int8), rng.integers(-500, 500, 6).astype(np.int32)
    dense = rng.integers(-127, 128, (4, 6)).astype(np.int8)
    scales = [0.002 * (c + 1) for c in range(6)]
    x_params, h_params = QuantParam(0.03, 4), QuantParam(0.05, -128)
    x, q = value("x", (2, 8, 8, 2), F32), value("q", (2, 8, 8, 2), I8, x_params)
    hidden, mean = value("h", (2, 8, 8, 6), I8, h_params), value("m", (2, 1, 1, 6), I8, h_params)
    out, y = value("o", (2, 4), I8, QuantParam(0.04, 10)), value("y", (2, 4), F32)
    kernels = weights("w", conv, *[QuantParam(s) for s in scales])
    bias_params = [QuantParam(0.03 * s) for s in scales]
    nodes = [
        node("QuantDTypeCast", [x], q, src_t=43, dst_t=32),
        node(
            "Conv2DFusion",
            [q, kernels, weights("b", bias, *bias_params)],
            hidden,
            pad_mode="SAME",
            group=1,
            stride=(1, 1),
            activation_type="RELU",
        ),
        node("AvgPoolFusion", [hidden], mean, global_=True),
        node("FullConnection", [mean, weights("d", dense, QuantParam(0.004))], out, use_axis=True, axis=1),
        node("QuantDTypeCast", [out], y, src_t=32, dst_t=43),
    ]
    floats = {
        "w": conv * np.array(scales)[:, None, None, None],
        "b": bias * 0.03 * np.array(scales),
        "d": dense * 0.004,
    }
    return Graph("main", [x], [y], nodes), floats


def float_network(x: np.ndarray, floats: dict[str, np.ndarray]) -> np.ndarray:
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0))).astype(np.float64)
    hidden = np.zeros((2, 8, 8, 6)) + floats["b"]
    for i, j in np.ndindex(3, 3):
        hidden += padded[:, i : i + 8, j : j + 8] @ floats["w"][:, i, j].T
    return np.asarray(np.maximum(hidden, 0).mean(axis=(1, 2)) @ floats["d"].T)


def test_a_network_is_near_its_float_twin_from_memory_and_from_a_file(tmp_path: Path) -> None:
    graph, floats = small_network()
    x = np.random.default_rng(6).normal(size=(2, 8, 8, 2)).astype(np.float32)
    got = predict(graph, x=x)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, float_network(x, floats), atol=0.06)
    assert np.abs(got).max() > 0.5
    write_ms(graph, tmp_path / "m.ms")
    model = Model()
    model.build_from_file(tmp_path / "m.ms")
    np.testing.assert_array_equal(model.predict({"x": x})[0].data, got)


def dynamic(symmetric: bool, **attributes: Any) -> tuple[Graph, np.ndarray]:
    """float -> DynamicQuant -> matrix product with int8 weights -> float; and the weights as floats."""
    q = np.random.default_rng(7).integers(-127, 128, (6, 5)).astype(np.int8)
    scales = [0.003 * (c + 1) for c in range(5)]
    x, stored, y = value("x", (4, 6), F32), value("q", (4, 6)), value("y", (4, 5), F32)
    nodes = [
        node("DynamicQuant", [x], stored, QuantType.QUANT_DYNAMIC, symmetric=symmetric, **attributes),
        node("MatMulFusion", [stored, weights("w", q, *map(QuantParam, scales))], y, QuantType.QUANT_DYNAMIC),
    ]
    return Graph("main", [x], [y], nodes), q * np.array(scales)


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("attributes", [{}, {"prefer_axes": (0,)}, {"activation_channel": True, "prefer_axis": 0}])
def test_a_dynamic_product_gives_floats(symmetric: bool, attributes: dict[str, Any]) -> None:
    graph, floats = dynamic(symmetric, **attributes)
    x = np.random.default_rng(8).normal(size=(4, 6)).astype(np.float32) * np.array([[1], [10], [0.1], [3]], np.float32)
    got = predict(graph, x=x)
    axis = 1 if attributes else None
    step = (np.abs(x).max(axis=axis, keepdims=True) * 2) / 254
    assert got.dtype == np.float32
    assert (np.abs(got - x @ floats) <= step * np.abs(floats).sum(axis=0) + 1e-5).all()
    assert (got != (x @ floats).astype(np.float32)).any()


def test_a_dynamic_product_inside_a_subgraph_of_a_delegate() -> None:
    graph, _ = dynamic(True)
    x = np.random.default_rng(9).normal(size=(4, 6)).astype(np.float32)
    context, model = Context(), Model()
    context.set_delegate(NamedDelegate())
    model.build_from_graph(graph, context)
    assert model.get_partition().subgraphs
    np.testing.assert_array_equal(model.predict({"x": x})[0].data, predict(graph, x=x))


@pytest.mark.parametrize("claimed", [0, 1, None])
def test_integers_keep_their_meaning_between_a_subgraph_and_what_reads_them(claimed: int | None) -> None:
    """The graph kernels cannot fork, so the runtime copies what they give."""
    graph, _ = dynamic(False)
    names = None if claimed is None else [graph.nodes[claimed].name]
    x = np.random.default_rng(9).normal(size=(4, 6)).astype(np.float32)
    context, model = Context(), Model()
    context.set_delegate(NamedDelegate(names))
    context.partition = PartitionOptions(max_kernels_per_subgraph=1)
    model.build_from_graph(graph, context)
    assert len(model.get_partition().subgraphs) == (2 if claimed is None else 1)
    np.testing.assert_array_equal(model.predict({"x": x})[0].data, predict(graph, x=x))


def test_a_dynamic_product_of_integers_without_meaning_is_rejected() -> None:
    graph, _ = dynamic(True)
    x = value("x", (4, 6))
    product = Node("p", graph.nodes[1].primitive, [x, graph.nodes[1].inputs[1]], graph.outputs, QuantType.QUANT_DYNAMIC)
    with pytest.raises(
        RuntimeError, match="input 0 must come from a DynamicQuant node or have quantization parameters"
    ):
        predict(Graph("main", [x], graph.outputs, [product]), x=np.ones((4, 6), np.int8))
