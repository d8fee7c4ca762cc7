"""Fourier transforms as products and convolutions, held to numpy's of the same numbers in double precision."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from lite_delegate import Context, Delegate, Model
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.openvino import OpenVINODelegate

SOUND = np.sin(np.arange(16000, dtype=np.float32) ** 1.3 / 50).reshape(1, 16000, 1)
"""A second of a rising tone."""


def delegate_of(name: str) -> Delegate:
    pytest.importorskip(name, reason=f"the package {name} is not installed")
    return OnnxRuntimeDelegate(threads=2) if name == "onnxruntime" else OpenVINODelegate(threads=2)


def saved(folder: Path, nodes: list[Any], arrays: dict[str, Any], shape: tuple[int, ...], rank: int) -> Path:
    """A model from ``x`` to ``y``."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [None] * rank)
    kept = [numpy_helper.from_array(np.asarray(array), name) for name, array in arrays.items()]
    model = helper.make_model(
        helper.make_graph(nodes, "g", [x], [y], kept), opset_imports=[helper.make_opsetid("", 20)], ir_version=9
    )
    path = folder / "m.onnx"
    onnx.save(model, path)
    return path


def checked(path: Path, x: Any, name: str, numbers: Any) -> None:
    """The whole model runs on the backend, and gives complex numbers as pairs."""
    expected = np.stack([numbers.real, numbers.imag], axis=-1)
    context = Context()
    context.strict = True
    context.set_delegate(delegate_of(name))
    model = Model()
    model.build_from_file(path, context=context)
    (found,) = model.predict([x])
    got = found.get_data_to_numpy()
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=0, atol=2e-6 * float(np.abs(expected).max()))


@pytest.mark.parametrize("name", ["onnxruntime", "openvino"])
@pytest.mark.parametrize("onesided", [0, 1])
def test_frames_of_a_sound(name: str, onesided: int, tmp_path: Path) -> None:
    size = 400
    window = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(size) / size)).astype(np.float32)
    arrays = {"step": np.int64(160), "window": window, "length": np.int64(size)}
    node = helper.make_node("STFT", ["x", "step", "window", "length"], ["y"], onesided=onesided)
    frames = np.stack([SOUND[0, at : at + size, 0] for at in range(0, 16000 - size + 1, 160)]).astype(np.float64)
    numbers = (np.fft.rfft if onesided else np.fft.fft)(frames * window)
    checked(saved(tmp_path, [node], arrays, SOUND.shape, 4), SOUND, name, numbers[None])


@pytest.mark.parametrize("name", ["onnxruntime", "openvino"])
@pytest.mark.parametrize(
    ("axis", "length", "inverse"), [(1, None, 0), (-2, 12, 0), (2, 5, 0), (1, None, 1), (-2, 12, 1), (2, 5, 1)]
)
def test_transforms_along_any_axis(name: str, axis: int, length: int | None, inverse: int, tmp_path: Path) -> None:
    x = np.random.default_rng(3).standard_normal((2, 9, 8, 2)).astype(np.float32)
    arrays = {"axis": np.int64(axis)} | ({} if length is None else {"length": np.int64(length)})
    operands = ["x", "" if length is None else "length", "axis"]
    node = helper.make_node("DFT", operands, ["y"], inverse=inverse)
    transform, numbers = np.fft.ifft if inverse else np.fft.fft, x[..., 0] + 1j * x[..., 1].astype(np.float64)
    checked(saved(tmp_path, [node], arrays, x.shape, 4), x, name, transform(numbers, length, axis if axis > 0 else 2))


@pytest.mark.parametrize("name", ["onnxruntime", "openvino"])
def test_long_transforms_and_computed_windows_are_left_to_the_host(name: str, tmp_path: Path) -> None:
    node = helper.make_node("DFT", ["x", "", "axis"], ["y"], onesided=0)
    path = saved(tmp_path, [node], {"axis": np.int64(1)}, SOUND.shape, 3)
    assert "at most 8,388,608 factors in a transform, has 512,000,000" in rejected(path, name)
    nodes = [
        helper.make_node("Squeeze", ["x"], ["window"]),
        helper.make_node("STFT", ["x", "step", "window"], ["y"]),
    ]
    path = saved(tmp_path, nodes, {"step": np.int64(8)}, (1, 64, 1), 4)
    assert "the window must be constant" in rejected(path, name)


def rejected(path: Path, name: str) -> str:
    """Why the first node that is left is."""
    context = Context()
    context.set_delegate(delegate_of(name))
    model = Model()
    model.build_from_file(path, context=context)
    (reason,) = (node.reason for node in model.get_partition().nodes if node.subgraph is None)
    return reason
