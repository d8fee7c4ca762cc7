"""Tensors of element types that numpy does not have: constants, inputs, outputs."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate.errors import ModelFormatError
from lite_delegate.formats.onnx import read_onnx

onnx = pytest.importorskip("onnx")
ml_dtypes = pytest.importorskip("ml_dtypes")
comparing = importlib.import_module("tests.formats.onnx.comparing")
backend = importlib.import_module("lite_delegate.onnx_backend")

KINDS = ["BFLOAT16", "FLOAT8E4M3FN", "FLOAT8E5M2", "FLOAT4E2M1", "INT4", "UINT4", "INT2", "UINT2"]


def _numbers(kind: str, count: int) -> Any:
    low = 0 if kind.startswith("U") else -1
    dtype = onnx.helper.tensor_dtype_to_np_dtype(getattr(onnx.TensorProto, kind))
    return (np.arange(count) % 3 + low).astype(dtype)


def _model(tensor: Any, *, output: int = 1) -> Any:
    nodes = [onnx.helper.make_node("Cast", ["w"], ["y"], to=output)]
    y = onnx.helper.make_tensor_value_info("y", output, list(tensor.dims))
    graph = onnx.helper.make_graph(nodes, "g", [], [y], [tensor])
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 25)], ir_version=13)


@pytest.mark.parametrize("raw", [True, False])
@pytest.mark.parametrize("count", [1, 7, 9000])
@pytest.mark.parametrize("kind", KINDS)
def test_constants(kind: str, count: int, raw: bool) -> None:
    numbers = _numbers(kind, count)
    tensor = onnx.numpy_helper.from_array(numbers, "w")
    if not raw:
        codes = np.frombuffer(tensor.raw_data, np.uint16 if kind == "BFLOAT16" else np.uint8)
        tensor.ClearField("raw_data")
        tensor.int32_data.extend(codes.tolist())
    (found,) = comparing.run(comparing.imported(_model(tensor)), {})
    np.testing.assert_array_equal(found, numbers.astype(np.float32))


@pytest.mark.parametrize("kind", KINDS)
def test_constants_in_side_files(kind: str, tmp_path: Path) -> None:
    numbers = _numbers(kind, 33)
    model = _model(onnx.numpy_helper.from_array(numbers, "w"))
    onnx.save_model(
        model,
        tmp_path / "m.onnx",
        save_as_external_data=True,
        location="w.bin",
        size_threshold=0,
        convert_attribute=True,
    )
    assert (tmp_path / "w.bin").stat().st_size > 0
    (found,) = comparing.run(read_onnx(tmp_path / "m.onnx"), {})
    np.testing.assert_array_equal(found, numbers.astype(np.float32))


@pytest.mark.parametrize("field", ["raw_data", "int32_data"])
def test_constants_of_another_size_are_damage(field: str) -> None:
    tensor = onnx.TensorProto(name="w", data_type=onnx.TensorProto.INT4, dims=[5])
    if field == "raw_data":
        tensor.raw_data = b"\1\2"
    else:
        tensor.int32_data.extend([1, 2])
    with pytest.raises(ModelFormatError, match=r"takes 3 bytes, found 2|expected 3 codes of uint8, found 2"):
        comparing.imported(_model(tensor))


def test_codes_beyond_a_byte_are_damage() -> None:
    tensor = onnx.TensorProto(name="w", data_type=onnx.TensorProto.UINT4, dims=[2], int32_data=[256])
    with pytest.raises(ModelFormatError, match="expected 1 codes of uint8"):
        comparing.imported(_model(tensor))


def test_weights_of_four_bits_are_whole_numbers_of_eight() -> None:
    weight = onnx.numpy_helper.from_array(np.array([[-8, 7], [1, -1], [0, 3]]).astype(ml_dtypes.int4), "w")
    text = "g (float[1,3] x) => (float[1,2] y) { d = DequantizeLinear(w, s) y = MatMul(x, d) }"
    model = comparing.parsed(text, 21, {"s": np.array(0.5, np.float32)})
    model.graph.initializer.append(weight)
    x = np.array([[1, 2, 4]], np.float32)
    (found,) = comparing.run(comparing.imported(model), {"x": x})
    np.testing.assert_array_equal(found, x @ np.array([[-4, 3.5], [0.5, -0.5], [0, 1.5]], np.float32))


def test_sums_of_bfloat16_are_rounded_where_the_model_gives_them() -> None:
    text = "g (bfloat16[2] x, bfloat16[2] z) => (bfloat16[2] y) { a = Add(x, z) y = Add(a, z) }"
    x, z = (np.array(n).astype(ml_dtypes.bfloat16) for n in ([1, 256], [0.00390625, 1]))
    (found,) = backend.run_model(comparing.parsed(text, 21), [x, z])
    assert found.dtype == ml_dtypes.bfloat16
    wanted = (x.astype(np.float32) + 2 * z.astype(np.float32)).astype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(found.astype(np.float32), wanted.astype(np.float32))
