"""Chains that compute shapes, as exporters write them under dynamic axes: constant in every plan, and right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from lite_delegate import Context, Model, ModelType
from lite_delegate.npu import NPUDelegate

Array = np.ndarray[Any, Any]
SHAPES = {"Shape", "Gather", "Unsqueeze", "Concat", "Cast", "SliceFusion", "StridedSlice", "ConstantOfShape", "Range"}


def const(name: str, data: object, dtype: type = np.int64) -> onnx.TensorProto:
    return numpy_helper.from_array(np.asarray(data, dtype), name)


def node(op: str, inputs: str, output: str, **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(op, inputs.split(), [output], **attributes)


SIZE = [node("Shape", "x", "s"), node("Gather", "s zero", "n"), node("Unsqueeze", "n axis0", "n1")]
CONSTANTS = [
    const("zero", 0), const("axis0", [0]), const("minus", [-1]), const("one", [1]), const("two", [2]),
    const("f1", 1.0, np.float32), const("i1", 1), const("twelve", [12]),
]  # fmt: skip

VIEW = [*SIZE, node("Concat", "n1 minus", "to", axis=0), node("Reshape", "x to", "r"), node("Relu", "r", "y")]
THROUGH_FLOATS = [
    node("Shape", "x", "s"), node("Slice", "s axis0 one axis0", "n1"), node("Cast", "n1", "f", to=TensorProto.FLOAT),
    node("Mul", "f f1", "g"), node("Cast", "g", "h", to=TensorProto.INT64), node("Concat", "h minus", "to", axis=0),
    node("Reshape", "x to", "r"), node("Relu", "r", "y"),
]  # fmt: skip
FILLED = [
    *SIZE, node("Concat", "n1 twelve", "to", axis=0), node("Reshape", "x to", "r"),
    node("ConstantOfShape", "to", "zeros", value=const("v", [0.5], np.float32)), node("Add", "r zeros", "y"),
]  # fmt: skip
COUNTED = [
    *SIZE, node("Concat", "n1 minus", "to", axis=0), node("Reshape", "x to", "r"), node("Range", "zero n i1", "rows"),
    node("Cast", "rows", "rf", to=TensorProto.FLOAT), node("Unsqueeze", "rf one", "column"),
    node("Add", "r column", "y"),
]  # fmt: skip
EXPANDED = [
    *SIZE, node("Concat", "n1 one", "rows", axis=0), node("Expand", "f1 rows", "wide"),
    node("Concat", "n1 minus", "to", axis=0), node("Reshape", "x to", "r"), node("Mul", "r wide", "y"),
]  # fmt: skip


def exported(nodes: Sequence[onnx.NodeProto]) -> bytes:
    used = {name for each in nodes for name in each.input}
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3, 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", None])],
        [each for each in CONSTANTS if each.name in used],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.checker.check_model(model, full_check=True)
    return bytes(model.SerializeToString())


@pytest.mark.parametrize("optimize", ["general", "none"])
@pytest.mark.parametrize("nodes", [VIEW, THROUGH_FLOATS, FILLED, COUNTED, EXPANDED])
def test_results_are_those_of_onnx_runtime_for_every_shape(nodes: Sequence[onnx.NodeProto], optimize: str) -> None:
    content = exported(nodes)
    session = onnxruntime.InferenceSession(content)
    context = Context()
    context.set_delegate(NPUDelegate())
    context.optimize = optimize
    model = Model()
    model.build_from_buffer(content, ModelType.MINDIR_LITE, context)
    for rows in (1, 4, 2, 4):
        x = np.random.default_rng(rows).normal(size=(rows, 3, 4)).astype(np.float32)
        found = model.predict([x])[0].data
        np.testing.assert_allclose(found, session.run(None, {"x": x})[0], rtol=2e-3, atol=2e-3)
        if optimize == "general":
            kept = model.get_partition().nodes
            assert not SHAPES & {each.type for each in kept}
            assert {each.device for each in kept} == {"npu"}
