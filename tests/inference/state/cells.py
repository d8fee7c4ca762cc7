"""Small models with states, and what they give, in plain numpy."""

from __future__ import annotations

import numpy as np
import pytest
from lite_delegate_kernels import Array

onnx = pytest.importorskip("onnx")

UNITS, FEATURES = 4, 3
_rng = np.random.default_rng(7)
W = _rng.standard_normal((FEATURES, UNITS)).astype(np.float32)
R = _rng.standard_normal((UNITS, UNITS)).astype(np.float32)
START = _rng.standard_normal((1, UNITS)).astype(np.float32)


def recurrent_cell() -> bytes:
    """y, after = 2 * tanh(x @ W + before @ R), tanh(x @ W + before @ R): an ONNX file."""
    helper = onnx.helper
    f32 = onnx.TensorProto.FLOAT
    nodes = [
        helper.make_node("MatMul", ["x", "W"], ["xw"]),
        helper.make_node("MatMul", ["before", "R"], ["hr"]),
        helper.make_node("Add", ["xw", "hr"], ["sum"]),
        helper.make_node("Tanh", ["sum"], ["after"]),
        helper.make_node("Add", ["after", "after"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "cell",
        [
            helper.make_tensor_value_info("x", f32, [1, FEATURES]),
            helper.make_tensor_value_info("before", f32, [1, UNITS]),
        ],
        [helper.make_tensor_value_info(name, f32, [1, UNITS]) for name in ("y", "after")],
        [onnx.numpy_helper.from_array(W, "W"), onnx.numpy_helper.from_array(R, "R")],
    )
    return bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString())


def steps(count: int, seed: int = 1) -> list[Array]:
    rng = np.random.default_rng(seed)
    return [rng.standard_normal((1, FEATURES)).astype(np.float32) for _ in range(count)]
