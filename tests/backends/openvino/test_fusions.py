"""What OpenVINO fuses or moves stays right; expected values are those of ONNX's reference evaluator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.onnx_backend import prepare

pytest.importorskip("openvino", reason="the package openvino is not installed")
RNG = np.random.default_rng(8)
ARRAYS = {
    "half": np.float32(0.5),
    "three": np.float32(3),
    "channels": np.arange(1, 6, dtype=np.float32).reshape(1, 5, 1, 1),
    "lone": np.full((1, 1, 1, 1, 1), 0.25, np.float32),
    "table": RNG.standard_normal((2, 4)).astype(np.float32),
    "filters": RNG.standard_normal((5, 3, 3, 3)).astype(np.float32),
    "columns": RNG.standard_normal((8, 4)).astype(np.float32),
}
IMAGE, CUBE, ROWS, VECTOR = [1, 3, 6, 6], [8, 5, 3], [2, 8], [9]
Step = tuple[str, list[str], str]
CONVOLVED: list[Step] = [("Conv", ["x", "filters"], "a"), ("Abs", ["a"], "b"), ("Add", ["b", "half"], "c")]
MULTIPLIED: list[Step] = [("MatMul", ["x", "columns"], "a"), ("Abs", ["a"], "b"), ("Add", ["b", "half"], "c")]
JOINED: list[Step] = [("Tanh", ["x"], "a"), ("Concat", ["x", "a"], "c")]
CASES: dict[str, tuple[list[int], list[Step], str]] = {
    "number_over_convolution": (IMAGE, [*CONVOLVED, ("Div", ["three", "c"], "y")], "y"),
    "channels_over_convolution": (IMAGE, [*CONVOLVED, ("Div", ["channels", "c"], "y")], "y"),
    "reciprocal_of_convolution": (IMAGE, [*CONVOLVED, ("Reciprocal", ["c"], "y")], "y"),
    "reciprocal_of_product": (ROWS, [*MULTIPLIED, ("Reciprocal", ["c"], "y")], "y"),
    "table_over_product": (ROWS, [*MULTIPLIED, ("Div", ["table", "c"], "y")], "y"),
    "convolution_over_number": (IMAGE, [*CONVOLVED, ("Div", ["c", "three"], "y")], "y"),
    "number_less_convolution": (IMAGE, [*CONVOLVED, ("Sub", ["three", "c"], "y")], "y"),
    "sum_over_number": (
        [8, 5, 3],
        [("ReduceL1", ["x"], "a"), ("Tanh", ["x"], "b"), ("Div", ["a", "three"], "y")],
        "by",
    ),
    "mean_over_number": (
        [8, 5, 3],
        [("ReduceMean", ["x"], "a"), ("Abs", ["a"], "b"), ("Div", ["b", "three"], "y")],
        "y",
    ),
    "larger_one_of_more_dimensions": ([1, 3], [("Max", ["x", "lone"], "y")], "y"),
    "size_of_joined_vectors": (VECTOR, [*JOINED, ("Abs", ["c"], "y"), ("Mul", ["c", "three"], "z")], "yz"),
    "erf_of_joined_vectors": (VECTOR, [*JOINED, ("Erf", ["c"], "y"), ("Mul", ["c", "three"], "z")], "yz"),
}


def model_of(shape: list[int], steps: list[Step], outputs: str) -> Any:
    attributes: dict[str, Any] = {"Concat": {"axis": 0}, "ReduceL1": {"axes": [2]}, "ReduceMean": {"axes": [2]}}
    nodes = [helper.make_node(op, given, [y], **attributes.get(op, {})) for op, given, y in steps]
    read = {name for _, given, _ in steps for name in given}
    constants = [numpy_helper.from_array(np.asarray(array), name) for name, array in ARRAYS.items() if name in read]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
    made = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
    graph = helper.make_graph(nodes, "g", [x], made, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


@pytest.mark.parametrize("name", CASES)
def test_fused_nodes_give_right_results(name: str) -> None:
    shape, steps, outputs = CASES[name]
    model, x = model_of(shape, steps, outputs), RNG.standard_normal(shape).astype(np.float32)
    expected = ReferenceEvaluator(model).run(None, {"x": x})
    prepared = prepare(model, delegate=OpenVINODelegate(threads=1))
    assert prepared.model.get_partition().nodes
    assert all(node.subgraph is not None for node in prepared.model.get_partition().nodes)
    for found, wanted in zip(prepared.run([x]), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
