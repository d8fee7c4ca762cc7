"""ONNX Runtime's extremes and their places are as it finds them: it is not asked for NaN, unless rewrites are off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from lite_delegate import Context, Model
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.onnxruntime.graph import OnnxRuntimeGraph
from lite_delegate.tensors.tensor import Array

X = np.random.default_rng(0).standard_normal((2, 5, 3)).astype(np.float32)


def predicted(path: Path, nodes: list[Any], inputs: dict[str, Array], *, rewrite: bool) -> tuple[Array, set[str]]:
    """The output y, and the operators that ONNX Runtime is given."""
    given = [helper.make_tensor_value_info(name, TensorProto.FLOAT, array.shape) for name, array in inputs.items()]
    graph = helper.make_graph(nodes, "g", given, [helper.make_empty_tensor_value_info("y")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=9), path)
    context, model = Context(), Model()
    context.rewrite = rewrite
    context.set_delegate(OnnxRuntimeDelegate(threads=1))
    model.build_from_file(str(path), context=context)
    (kernel,) = model.get_graph_kernels()
    assert isinstance(kernel, OnnxRuntimeGraph)
    operators = {node.op_type for node in onnx.load_from_string(kernel.shared.whole().content).graph.node}
    (y,) = model.predict(inputs)
    return np.asarray(y.get_data_to_numpy()), operators


@pytest.mark.parametrize(
    ("op", "made"),
    [("ArgMax", X.argmax(1)), ("ArgMin", X.argmin(1)), ("ReduceMax", X.max(1)), ("ReduceMin", X.min(1))],
)
def test_along_axes_nobody_looks_for_nan(tmp_path: Path, op: str, made: Array) -> None:
    attributes = {"axis": 1} if op.startswith("Arg") else {"axes": [1]}
    nodes = [helper.make_node(op, ["x"], ["y"], keepdims=0, **attributes)]
    y, operators = predicted(tmp_path / "m.onnx", nodes, {"x": X}, rewrite=True)
    np.testing.assert_array_equal(y, made)
    assert "IsNaN" not in operators
    strange = X.copy()
    strange[0, 2, 1] = np.nan
    y, operators = predicted(tmp_path / "m.onnx", nodes, {"x": strange}, rewrite=False)
    assert y[0, 1] == 2 if op.startswith("Arg") else np.isnan(y[0, 1])
    assert "IsNaN" in operators


def test_quotients_of_zeros_stay_nan(tmp_path: Path) -> None:
    nodes = [helper.make_node("Div", ["a", "b"], ["q"]), helper.make_node("Relu", ["q"], ["y"])]
    given = {"a": np.array([0.0, 1.0, -1.0], np.float32), "b": np.array([0.0, 2.0, 2.0], np.float32)}
    y, _ = predicted(tmp_path / "m.onnx", nodes, given, rewrite=True)
    np.testing.assert_array_equal(y, np.array([np.nan, 0.5, 0.0], np.float32))
