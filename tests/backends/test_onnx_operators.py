"""Operators of ONNX that become others, as whole models: what ONNX Runtime alone gives for the same file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper

from lite_delegate import Core

Array = np.ndarray[Any, Any]
DEVICES = ["ONNXRUNTIME", "OPENVINO"]
RELEASE = 22


def saved(path: Path, node: onnx.NodeProto, inputs: Mapping[str, Array], constants: Mapping[str, Array]) -> Path:
    """A model of one node, whose outputs are float32 of any shape."""
    described = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
        for name, x in inputs.items()
    ]
    held = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    outputs = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in node.output]
    graph = helper.make_graph([node], "g", described, outputs, held)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", RELEASE)], ir_version=10), path)
    return path


def on_device(path: Path, device: str, inputs: Mapping[str, Array]) -> list[Array]:
    """What a device gives that runs all of a model by itself."""
    compiled = Core().compile_model(path, device)
    assert len(compiled.graph_kernels) == 1
    return [np.asarray(y) for y in compiled.create_infer_request().infer(dict(inputs)).values()]


def by_itself(path: Path, inputs: Mapping[str, Array]) -> list[Array]:
    """What ONNX Runtime gives for the file."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return [np.asarray(y) for y in session.run(None, dict(inputs))]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("align", [0, 1])
@pytest.mark.parametrize("size", [(3, 2, 7, 5), (2, 1, 3, 4, 5)], ids=["images", "volumes"])
def test_affine_grids(tmp_path: Path, device: str, align: int, size: tuple[int, ...]) -> None:
    axes = len(size) - 2
    inputs = {"theta": np.random.default_rng(5).standard_normal((size[0], axes, axes + 1)).astype(np.float32)}
    node = helper.make_node("AffineGrid", ["theta", "size"], ["grid"], align_corners=align)
    path = saved(tmp_path / "m.onnx", node, inputs, {"size": np.array(size, np.int64)})
    (got,), (expected,) = on_device(path, device, inputs), by_itself(path, inputs)
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)
