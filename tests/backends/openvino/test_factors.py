"""Constant matrices that several products read; expected values are numpy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.onnx_backend import prepare

pytest.importorskip("openvino", reason="the package openvino is not installed")
RNG = np.random.default_rng(4)


def run(ways: list[str], size: int) -> tuple[Any, Any, list[Any]]:
    """Rows, a square matrix, and what products of both give whose ways are "plain", "gemm" or "gemm_transposed"."""
    matrix = RNG.uniform(-1, 1, (size, size)).astype(np.float32)
    x = RNG.uniform(-1, 1, (4, size)).astype(np.float32)
    nodes = []
    for number, way in enumerate(ways):
        name = f"y{number}"
        if way.startswith("gemm"):
            nodes.append(helper.make_node("Gemm", ["x", "w"], [name], transB=int(way == "gemm_transposed")))
        else:
            nodes.append(helper.make_node("MatMul", ["x", "w"], [name]))
    made = [helper.make_tensor_value_info(f"y{n}", TensorProto.FLOAT, None) for n in range(len(ways))]
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)
    graph = helper.make_graph(nodes, "g", [given], made, [numpy_helper.from_array(matrix, "w")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    return x, matrix, prepare(model, delegate=OpenVINODelegate(threads=1)).run([x])


@pytest.mark.parametrize("size", [8, 64])
@pytest.mark.parametrize(
    "ways",
    [
        ["gemm", "gemm_transposed"],
        ["gemm_transposed", "gemm"],
        ["plain", "gemm_transposed", "plain", "gemm_transposed"],
    ],
)
def test_a_matrix_that_is_read_both_ways(ways: list[str], size: int) -> None:
    x, matrix, found = run(ways, size)
    for way, y in zip(ways, found, strict=True):
        wanted = x @ (matrix.T if way == "gemm_transposed" else matrix)
        np.testing.assert_allclose(y, wanted, rtol=1e-5, atol=1e-5)
