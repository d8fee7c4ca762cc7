"""Attention of as many queries as heads, whose result OpenVINO would write over the query while it is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from lite_delegate import Core

openvino = pytest.importorskip("openvino", reason="the package openvino is not installed")
HAS = tuple(openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES"))
Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(6)
BATCH, WIDTH, DEPTH = 2, 12, 8


class Network:
    """An attention of which each head has a query for each row.

    Args:
        rows: and heads.
        rotated: whether queries and keys are, by their rows.
        bounded: whether results are, before heads are joined.
    """

    def __init__(self, rows: int, *, rotated: bool, bounded: bool) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._arrays: dict[str, Array] = {}
        shape = self._array(np.array((BATCH, rows, rows, DEPTH)))
        query, key, value = (self._heads(shape, rows) for _ in range(3))
        if rotated:
            query, key = self._rotated(query, rows), self._rotated(key, rows)
        scores = self._add("MatMul", query, self._add("Transpose", key, perm=[0, 1, 3, 2]))
        y = self._add("MatMul", self._add("Softmax", scores, axis=-1), value)
        y = self._add("Transpose", self._add("Tanh", y) if bounded else y, perm=[0, 2, 1, 3])
        y = self._add("Reshape", y, self._array(np.array((BATCH, rows, rows * DEPTH))))
        y = self._add("MatMul", y, self._weight(rows * DEPTH, WIDTH))
        x_info = helper.make_tensor_value_info("x", TensorProto.FLOAT, (BATCH, rows, WIDTH))
        y_info = helper.make_tensor_value_info(y, TensorProto.FLOAT, (BATCH, rows, WIDTH))
        constants = [numpy_helper.from_array(array, name) for name, array in self._arrays.items()]
        graph = helper.make_graph(self._nodes, "g", [x_info], [y_info], constants)
        self.model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)

    def _array(self, array: Array) -> str:
        self._arrays[f"c{len(self._arrays)}"] = array
        return f"c{len(self._arrays) - 1}"

    def _weight(self, rows: int, columns: int) -> str:
        return self._array((RNG.standard_normal((rows, columns)) / 2).astype(np.float32))

    def _add(self, op: str, *inputs: str, **attributes: Any) -> str:
        self._nodes.append(helper.make_node(op, inputs, [f"v{len(self._nodes)}"], **attributes))
        return f"v{len(self._nodes) - 1}"

    def _heads(self, shape: str, heads: int) -> str:
        y = self._add("MatMul", "x", self._weight(WIDTH, heads * DEPTH))
        return self._add("Transpose", self._add("Reshape", y, shape), perm=[0, 2, 1, 3])

    def _rotated(self, x: str, rows: int) -> str:
        first, middle, end, axis = (self._array(np.array([place])) for place in (0, DEPTH // 2, DEPTH, 3))
        low, high = self._add("Slice", x, first, middle, axis), self._add("Slice", x, middle, end, axis)
        turned = self._add("Concat", self._add("Neg", high), low, axis=3)
        near, far = (self._add("Mul", each, self._weight(rows, DEPTH)) for each in (x, turned))
        return self._add("Add", near, far)


def distance(model: onnx.ModelProto, path: Path, rows: int, hint: str) -> float:
    """From ONNX Runtime's result, relative to the largest."""
    onnx.save(model, path)
    x = RNG.standard_normal((BATCH, rows, WIDTH)).astype(np.float32)
    (expected,) = onnxruntime.InferenceSession(path).run(None, {"x": x})
    compiled = Core().compile_model(path, "OPENVINO", {"INFERENCE_PRECISION_HINT": hint})
    (found,) = compiled.create_infer_request().infer({"x": x})
    return float(np.abs(np.asarray(found) - expected).max() / np.abs(expected).max())


@pytest.mark.parametrize("rows", [2, 6])
@pytest.mark.parametrize(("rotated", "bounded"), [(False, False), (True, False), (False, True), (True, True)])
def test_queries_are_read_before_they_are_written_over(rows: int, rotated: bool, bounded: bool, tmp_path: Path) -> None:
    model = Network(rows, rotated=rotated, bounded=bounded).model
    assert distance(model, tmp_path / "m.onnx", rows, "f32") < 1e-5


@pytest.mark.skipif("BF16" not in HAS, reason=f"OpenVINO has no bf16 kernels here: it has {HAS}")
@pytest.mark.parametrize("rows", [2, 6])
@pytest.mark.parametrize("bounded", [False, True])
def test_so_they_are_in_bf16(rows: int, bounded: bool, tmp_path: Path) -> None:
    model = Network(rows, rotated=False, bounded=bounded).model
    assert 1e-4 < distance(model, tmp_path / "m.onnx", rows, "bf16") < 0.1
