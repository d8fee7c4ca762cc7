"""Rewrites of ONNX Runtime after which it would be slower are off."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from lite_delegate import Context, Model
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.onnxruntime.graph import OnnxRuntimeGraph
from lite_delegate.backends.onnxruntime.sessions.optimized import optimized

SCALES = {"scale": 1.5, "offset": 0.5}


def test_sums_before_normalizations_stay_on_the_cpu(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Relu", ["x"], ["r"]),
        helper.make_node("Sigmoid", ["x"], ["s"]),
        helper.make_node("Add", ["r", "s"], ["a"]),
        helper.make_node("LayerNormalization", ["a", "scale", "offset"], ["y"], axis=-1),
    ]
    constants = [numpy_helper.from_array(np.full(8, value, np.float32), name) for name, value in SCALES.items()]
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3, 8]) for name in "xy")
    opsets = [helper.make_opsetid("", 17)]
    model = helper.make_model(helper.make_graph(nodes, "g", [x], [y], constants), opset_imports=opsets, ir_version=9)
    onnx.save(model, tmp_path / "sum.onnx")
    context, built = Context(), Model()
    context.set_delegate(OnnxRuntimeDelegate(threads=1))
    built.build_from_file(str(tmp_path / "sum.onnx"), context=context)
    (kernel,) = built.get_graph_kernels()
    assert isinstance(kernel, OnnxRuntimeGraph)
    whole = kernel.shared.whole()
    content = optimized(whole.content, whole.outside, kernel.shared.settings).content
    types = {node.op_type for node in onnx.load_from_string(content).graph.node}
    assert {"Add", "LayerNormalization"} <= types
    assert "SkipLayerNormalization" not in types
