"""Models of element types that numpy does not have run whole on backends, rounded as these types are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

from lite_delegate import Core, Delegate
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.conformance import CaseOutcome, all_cases
from lite_delegate.conformance.runner import run_case
from tests.backends.one_input import one_input
from tests.commands import call

ml_dtypes = pytest.importorskip("ml_dtypes", reason="the package ml_dtypes is not installed")
Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(16)
DEVICES = ["ONNXRUNTIME", "OPENVINO"]
FLOAT8 = {
    "FLOAT8E4M3FN": ml_dtypes.float8_e4m3fn,
    "FLOAT8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "FLOAT8E5M2": ml_dtypes.float8_e5m2,
    "FLOAT8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
}


def as_bfloat16(x: Array) -> Array:
    return np.asarray(x.astype(ml_dtypes.bfloat16).astype(np.float32))


def saved(path: Path, nodes: list[Any], types: tuple[int, int], *shapes: tuple[int, ...], **constants: Any) -> Path:
    onnx.save(one_input(nodes, constants, *shapes, types=types, opset=21), path)
    return path


def on_device(path: Path, device: str, x: Array) -> Array:
    """What a device gives that runs all of a model by itself."""
    compiled = Core().compile_model(path, device)
    assert len(compiled.graph_kernels) == 1
    (y,) = compiled.create_infer_request().infer({"x": x})
    return np.asarray(y)


def numbers() -> Array:
    """float32 of all sizes that bfloat16 has, what lies in the middle of two of its numbers, and beside that."""
    sizes = RNG.standard_normal(2000) * np.exp2(RNG.integers(-60, 100, 2000))
    middles = (RNG.integers(128, 256, 2000) + 0.5) * np.exp2(RNG.integers(-60, 100, 2000))
    ends = np.array([np.inf, -np.inf, 0.0, 65504.0, 3.3895e38, -3.3895e38, 3.4e38, 2.0 - 2.0**-20, 1.0 + 2.0**-20])
    x = np.concatenate([sizes, middles, -middles, ends]).astype(np.float32)
    return np.concatenate([x, np.nextafter(x, np.float32(0))])


@pytest.mark.parametrize("device", DEVICES)
def test_bfloat16_is_rounded_to_the_nearest_and_halves_to_even(tmp_path: Path, device: str) -> None:
    x = numbers()
    nodes = [
        helper.make_node("Cast", ["x"], ["n"], to=TensorProto.BFLOAT16),
        helper.make_node("Cast", ["n"], ["y"], to=1),
    ]
    path = saved(tmp_path / "m.onnx", nodes, (TensorProto.FLOAT, TensorProto.FLOAT), x.shape)
    np.testing.assert_array_equal(on_device(path, device, x), as_bfloat16(x))


@pytest.mark.parametrize("given", [np.float16, np.int32])
@pytest.mark.parametrize("device", DEVICES)
def test_other_types_become_bfloat16(tmp_path: Path, device: str, given: type[np.generic]) -> None:
    x = (RNG.standard_normal(500) * 2000).astype(given)
    kind = helper.np_dtype_to_tensor_dtype(x.dtype)
    nodes = [
        helper.make_node("Cast", ["x"], ["n"], to=TensorProto.BFLOAT16),
        helper.make_node("Cast", ["n"], ["y"], to=1),
    ]
    path = saved(tmp_path / "m.onnx", nodes, (kind, TensorProto.FLOAT), x.shape)
    np.testing.assert_array_equal(on_device(path, device, x), as_bfloat16(x.astype(np.float32)))


def network(path: Path) -> tuple[Path, Array, Array]:
    """A model whose tensors are all bfloat16, an input, and its result in float64, rounded at the end."""
    x, w, b = (as_bfloat16(RNG.standard_normal(shape).astype(np.float32)) for shape in ((6, 32), (32, 16), (16,)))
    v = as_bfloat16(RNG.standard_normal((16, 16)).astype(np.float32))
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["p"]),
        helper.make_node("Add", ["p", "b"], ["s"]),
        helper.make_node("Tanh", ["s"], ["t"]),
        helper.make_node("MatMul", ["t", "v"], ["y"]),
    ]
    held = {name: array.astype(ml_dtypes.bfloat16) for name, array in (("w", w), ("b", b), ("v", v))}
    saved(path, nodes, (TensorProto.BFLOAT16, TensorProto.BFLOAT16), x.shape, (6, 16), **held)
    real = np.tanh(x.astype(np.float64) @ w + b) @ v
    return path, x, as_bfloat16(real.astype(np.float32))


@pytest.mark.parametrize("device", DEVICES)
def test_models_of_bfloat16_run_whole(tmp_path: Path, device: str) -> None:
    path, x, expected = network(tmp_path / "m.onnx")
    found = on_device(path, device, x)
    assert np.array_equal(as_bfloat16(found), found)
    np.testing.assert_allclose(found, expected, rtol=2**-7, atol=1e-4)


def test_models_of_bfloat16_are_written_to_onnx_with_their_roundings(tmp_path: Path) -> None:
    path, x, expected = network(tmp_path / "m.onnx")
    call("convert", path, "-o", tmp_path / "out.onnx")
    onnx.checker.check_model(str(tmp_path / "out.onnx"), full_check=True)
    (found,) = onnxruntime.InferenceSession(tmp_path / "out.onnx").run(None, {"x": x})
    assert np.array_equal(as_bfloat16(found), found)
    np.testing.assert_allclose(found, expected, rtol=2**-7, atol=1e-4)


@pytest.mark.parametrize("kind", list(FLOAT8))
def test_float8_is_rounded_on_onnx_runtime(tmp_path: Path, kind: str) -> None:
    dtype, number = FLOAT8[kind], getattr(TensorProto, kind)
    largest = float(ml_dtypes.finfo(dtype).max)
    x = (RNG.standard_normal(4000) * np.exp2(RNG.integers(-12, 18, 4000))).astype(np.float32)
    nodes = [helper.make_node("Cast", ["x"], ["n"], to=number), helper.make_node("Cast", ["n"], ["y"], to=1)]
    path = saved(tmp_path / "m.onnx", nodes, (TensorProto.FLOAT, TensorProto.FLOAT), x.shape)
    expected = np.clip(x, -largest, largest).astype(dtype).astype(np.float32)
    np.testing.assert_array_equal(on_device(path, "ONNXRUNTIME", x), expected)


@pytest.mark.parametrize(
    ("delegate", "case", "reason"),
    [
        (OnnxRuntimeDelegate, "float8e4m3fn_beyond", "elements must be rounded as they should"),
        (OnnxRuntimeDelegate, "int4_from_float32", "no kernels for integers of 4 bits"),
        (OpenVINODelegate, "float8e5m2", "OpenVINO cuts digits off"),
    ],
)
def test_what_runtimes_round_otherwise_is_rejected(delegate: type[Delegate], case: str, reason: str) -> None:
    (found,) = (each for each in all_cases(["ai.onnx.Cast"]) if each.name == case)
    result = run_case(found, delegate(), force=False, closely=False)
    assert result.outcome is CaseOutcome.REJECTED
    assert reason in result.detail
