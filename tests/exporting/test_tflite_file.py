"""Models written as TensorFlow Lite files: LiteRT gives what our runtime, or the file that was read, gives."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate import GraphError, Model, ModelType
from lite_delegate.exporting import tflite_content, write_tflite
from lite_delegate.formats import read_model, read_model_buffer
from lite_delegate.formats.ms import ms_bytes
from lite_delegate.ir import DataType, Graph, Node, Value, constant, make_primitive

pytest.importorskip("ai_edge_litert")
pytest.importorskip("tflite")

from ai_edge_litert.interpreter import Interpreter, OpResolverType

from tests.formats.tflite.models import G, Op, T, const, model_bytes, out

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(7)


def litert(content: bytes, arrays: Sequence[Array]) -> tuple[dict[str, Array], list[str]]:
    """LiteRT's outputs by name, and the operators that it runs."""
    interpreter = Interpreter(
        model_content=content, experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    )
    interpreter.allocate_tensors()
    for each, array in zip(interpreter.get_input_details(), arrays, strict=True):
        interpreter.set_tensor(each["index"], array)
    interpreter.invoke()
    outputs = {each["name"]: interpreter.get_tensor(each["index"]) for each in interpreter.get_output_details()}
    return outputs, [each["op_name"] for each in interpreter._get_ops_details()]


def ours(graph: Graph, arrays: Sequence[Array]) -> list[Array]:
    model = Model()
    model.build_from_buffer(ms_bytes(graph), ModelType.MINDIR_LITE)
    inputs = model.get_inputs()
    for tensor, array in zip(inputs, arrays, strict=True):
        tensor.set_data_from_numpy(array)
    return [tensor.get_data_to_numpy() for tensor in model.predict(inputs)]


def value(name: str, shape: tuple[int, ...], dtype: DataType = DataType.FLOAT32) -> Value:
    return Value(name, dtype, shape)


def test_a_network_of_mindspore_lite_gives_the_same(shared_models: Path) -> None:
    graph = read_model(shared_models / "lenet_tod_infer.ms")
    x = RNG.random(tuple(graph.inputs[0].shape or ())).astype(np.float32)
    outputs, operators = litert(tflite_content(graph), [x])
    assert list(outputs) == [each.name for each in graph.outputs]
    np.testing.assert_allclose(outputs[graph.outputs[0].name], ours(graph, [x])[0], atol=1e-6)
    assert operators.count("CONV_2D") == 2
    assert operators.count("FULLY_CONNECTED") == 3


@pytest.mark.parametrize("name", ["ds_cnn_kws_f32.tflite", "ds_cnn_kws_int8.tflite"])
def test_a_file_that_is_read_and_written_has_the_same_operators_and_results(
    name: str, shared_models: Path, tmp_path: Path
) -> None:
    path = tmp_path / name
    write_tflite(read_model(shared_models / name), path)
    before = (shared_models / name).read_bytes()
    detail = Interpreter(model_content=before).get_input_details()[0]
    x = (RNG.random(tuple(detail["shape"])) * 100).astype(detail["dtype"])
    old, operators = litert(before, [x])
    new, written = litert(path.read_bytes(), [x])
    assert written == operators
    np.testing.assert_array_equal(next(iter(new.values())), next(iter(old.values())))


def test_outputs_that_are_inputs_or_constants_have_tensors_of_their_own() -> None:
    x, y, c = value("x", (2, 3)), value("y", (2, 3)), constant("c", np.arange(3, dtype=np.float32))
    node = Node("n", make_primitive("Abs"), [x], [y])
    content = tflite_content(Graph("g", [x], [y, x, c, y], [node]))
    array = RNG.random((2, 3)).astype(np.float32) - 0.5
    outputs, _ = litert(content, [array])
    names, found = zip(*outputs.items(), strict=True)
    assert (names[0], names[2]) == ("y", "c")
    assert len(names) == 4
    for got, want in zip(found, (abs(array), array, np.arange(3), abs(array)), strict=True):
        np.testing.assert_array_equal(got, want)


def test_a_model_without_operators_is_an_error() -> None:
    x = value("x", (2, 3))
    with pytest.raises(GraphError, match="no operators"):
        tflite_content(Graph("g", [x], [x], []))


def test_nodes_without_operators_are_one_error_and_no_file(tmp_path: Path) -> None:
    x, y, z = value("x", (4,)), value("y", (4,)), value("z", (4,))
    nodes = [
        Node("first", make_primitive("RaggedRange"), [x, x, x], [value("u", (4,)), y]),
        Node("second", make_primitive("RaggedRange"), [x, x, x], [value("v", (4,)), z]),
    ]
    path = tmp_path / "m.tflite"
    with pytest.raises(GraphError, match=r"first.*RaggedRange.*second"):
        write_tflite(Graph("g", [x], [y, z], nodes), path)
    assert not path.exists()


def test_a_failure_keeps_the_former_file(tmp_path: Path) -> None:
    path = tmp_path / "m.tflite"
    path.write_bytes(b"former")
    x, y = value("x", (4,)), value("y", (4,))
    node = Node("n", make_primitive("RaggedRange"), [x, x, x], [value("u", (4,)), y])
    with pytest.raises(GraphError):
        write_tflite(Graph("g", [x], [y], [node]), path)
    assert path.read_bytes() == b"former"


def test_constants_behind_the_flatbuffer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As in files beyond 2 GiB."""
    from lite_delegate.formats.tflite.export import model

    x, y = value("x", (2, 64)), value("y", (2, 32))
    w = constant("w", RNG.random((32, 64)).astype(np.float32))
    node = Node("fc", make_primitive("FullConnection", use_axis=True, axis=1), [x, w], [y])
    graph = Graph("g", [x], [y], [node])
    inside = tflite_content(graph)
    monkeypatch.setattr(model, "_HEADROOM", 2**31)
    behind = tflite_content(graph)
    assert inside != behind
    assert behind.endswith(w.data.tobytes())  # type: ignore[union-attr]
    array = RNG.random((2, 64)).astype(np.float32)
    np.testing.assert_array_equal(litert(inside, [array])[0]["y"], litert(behind, [array])[0]["y"])
    path = tmp_path / "m.tflite"
    path.write_bytes(behind)
    np.testing.assert_allclose(ours(read_model(path), [array])[0], litert(inside, [array])[0]["y"], rtol=1e-5)


def test_int8_operators_stay_int8() -> None:
    q: Any = {"scales": [0.5], "zero_points": [3]}
    x, y = T(dtype="int8", shape=(1, 4, 4, 2), **q), out("int8", (1, 4, 4, 3), **q)
    weight = const(RNG.integers(-100, 100, (3, 3, 3, 2)), np.int8, scales=[0.1, 0.2, 0.3], axis=0)
    bias = const([100, -50, 7], np.int32, scales=[0.05, 0.1, 0.15])
    options = {"padding": 0, "strideH": 1, "strideW": 1, "fusedActivationFunction": 1}
    graph = G([x, weight, bias, y], [Op("CONV_2D", [0, 1, 2], [3], "Conv2DOptions", options, version=3)], [0], [3])
    before = model_bytes([graph])
    after = tflite_content(read_model_buffer(before))
    array = RNG.integers(-128, 128, (1, 4, 4, 2)).astype(np.int8)
    old, operators = litert(before, [array])
    new, written = litert(after, [array])
    assert written == operators == ["CONV_2D"]
    np.testing.assert_array_equal(next(iter(new.values())), next(iter(old.values())))


def test_signatures_keep_their_names() -> None:
    graph = G([T(np.ones((2, 3), np.float32)), out(shape=(2, 3))], [Op("ABS", [0], [1])], [0], [1])
    before = model_bytes([graph], [("plus", 0, {"a": 0}, {"b": 1})])
    interpreter = Interpreter(model_content=tflite_content(read_model_buffer(before)))
    assert interpreter.get_signature_list() == {"plus": {"inputs": ["a"], "outputs": ["b"]}}
    array = np.full((2, 3), -1.5, np.float32)
    np.testing.assert_array_equal(interpreter.get_signature_runner("plus")(a=array)["b"], -array)


def test_a_model_without_signatures_gets_one_with_its_own_names() -> None:
    x, y = value("x", (2,)), value("y", (2,))
    content = tflite_content(Graph("g", [x], [y], [Node("n", make_primitive("Abs"), [x], [y])]))
    found = Interpreter(model_content=content).get_signature_list()
    assert found == {"serving_default": {"inputs": ["x"], "outputs": ["y"]}}


def weights_model(kind: str) -> bytes:
    """FULLY_CONNECTED and a depthwise convolution by weights of int8, or by float16 behind DEQUANTIZE."""
    x, y, z = T(np.zeros((1, 4, 4, 6), np.float32)), out(shape=(1, 4, 4, 6)), out(shape=(16, 5))
    narrow = {"int8": np.int8, "float16": np.float16}[kind]
    numbers = (RNG.integers(-127, 128, (1, 3, 3, 6)), RNG.integers(-127, 128, (5, 6)))
    scales = (np.linspace(0.01, 0.03, 6).tolist(), [0.02])
    more: list[Any] = [
        {"scales": each, "axis": axis} if kind == "int8" else {} for each, axis in zip(scales, (3, 0), strict=True)
    ]
    w, v = (const(array.astype(narrow), **each) for array, each in zip(numbers, more, strict=True))
    bias = const(RNG.random(6).astype(np.float32))
    options = {"padding": 0, "strideH": 1, "strideW": 1, "depthMultiplier": 1}
    tensors = [x, w, v, bias, y, z, out(shape=w.dims), out(shape=v.dims)]
    places = (1, 2) if kind == "int8" else (6, 7)
    ops = [Op("DEQUANTIZE", [1], [6], version=3), Op("DEQUANTIZE", [2], [7], version=3)] if kind != "int8" else []
    ops += [
        Op("DEPTHWISE_CONV_2D", [0, places[0], 3], [4], "DepthwiseConv2DOptions", options, version=6),
        Op(
            "FULLY_CONNECTED",
            [4, places[1], -1],
            [5],
            "FullyConnectedOptions",
            {"asymmetricQuantizeInputs": True},
            version=9,
        ),
    ]
    return model_bytes([G(tensors, ops, [0], [5])])


@pytest.mark.parametrize("kind", ["int8", "float16"])
def test_narrow_weights_stay_narrow(kind: str) -> None:
    before = weights_model(kind)
    after = tflite_content(read_model_buffer(before))
    array = RNG.random((1, 4, 4, 6)).astype(np.float32)
    old, operators = litert(before, [array])
    new, written = litert(after, [array])
    assert sorted(written) == sorted(operators)
    np.testing.assert_array_equal(next(iter(new.values())), next(iter(old.values())))


def test_weights_of_int8_of_other_models_are_made_real() -> None:
    graph = read_model_buffer(weights_model("int8"))
    graph.info = None
    array = RNG.random((1, 4, 4, 6)).astype(np.float32)
    new, written = litert(tflite_content(graph), [array])
    assert written == ["DEQUANTIZE", "DEQUANTIZE", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"]
    np.testing.assert_allclose(next(iter(new.values())), ours(graph, [array])[0], rtol=1e-5, atol=1e-5)


def open_graph(last: Node, y: Value) -> Graph:
    """Images of an open number through a convolution, and a node that reads the result ``h`` of it."""
    x, h = value("x", (-1, 4, 4, 2)), last.inputs[0]
    assert h is not None
    w = constant("w", RNG.random((3, 3, 3, 2)).astype(np.float32))
    node = Node("conv", make_primitive("Conv2DFusion", pad_mode="SAME", group=1, kernel_size=[3, 3]), [x, w], [h])
    return Graph("g", [x], [y], [node, last])


def test_dimensions_stay_open_where_operators_are_the_same() -> None:
    h, y = value("h", (-1, 4, 4, 3)), value("y", (-1, 48))
    node = Node("flat", make_primitive("Reshape"), [h, constant("to", np.array([-1, 48], np.int32))], [y])
    graph = open_graph(node, y)
    interpreter = Interpreter(model_content=tflite_content(graph))
    (detail,) = interpreter.get_input_details()
    assert (list(detail["shape"]), list(detail["shape_signature"])) == ([1, 4, 4, 2], [-1, 4, 4, 2])
    array = RNG.random((5, 4, 4, 2)).astype(np.float32)
    interpreter.resize_tensor_input(detail["index"], array.shape, strict=True)
    interpreter.allocate_tensors()
    interpreter.set_tensor(detail["index"], array)
    interpreter.invoke()
    found = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
    one = [litert(tflite_content(graph), [array[place : place + 1]])[0]["y"] for place in range(5)]
    np.testing.assert_allclose(found, np.concatenate(one), rtol=1e-5)
    again = read_model_buffer(tflite_content(graph))
    assert again.inputs[0].shape == (-1, 4, 4, 2)


def test_dimensions_are_closed_where_constants_depend_on_them() -> None:
    h, shape, z = value("h", (-1, 4, 4, 3)), value("s", (4,), DataType.INT32), value("z", (-1, 4, 4, 3))
    y = value("y", (-1, 4, 4, 3))
    graph = open_graph(Node("shape", make_primitive("Shape"), [h], [shape]), y)
    one = constant("one", np.ones(1, np.float32))
    graph.nodes.append(Node("wide", make_primitive("BroadcastTo"), [one, shape], [z]))
    graph.nodes.append(Node("sum", make_primitive("AddFusion"), [h, z], [y]))
    (detail,) = Interpreter(model_content=tflite_content(graph)).get_input_details()
    assert list(detail["shape_signature"]) == [1, 4, 4, 2]
