"""Quantized networks that ONNX Runtime's optimizers change in ways that change results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper

from lite_delegate import Core
from tests.backends.one_input import one_input, unoptimized

RNG = np.random.default_rng(8)
X = RNG.uniform(-4, 4, (1, 16, 8, 8)).astype(np.float32)
STEP = np.float32(1 / 16)


def convolution(path: Path, given: type[np.integer], made: type[np.integer]) -> Path:
    """A convolution between integers; the weight has a scale for each channel, of which one is large."""
    scales = np.full(8, 0.002, np.float32)
    scales[0] = 0.05
    arrays: dict[str, Any] = {
        "xs": np.float32(4 / 127),
        "xz": np.array(128 if given is np.uint8 else 0, given),
        "w": RNG.integers(-127, 128, (8, 16, 3, 3)).astype(np.int8),
        "ws": scales,
        "wz": np.zeros(8, np.int8),
        "ys": STEP,
        "yz": np.array(128 if made is np.uint8 else 0, made),
    }
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "xs", "xz"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "xs", "xz"], ["d"]),
        helper.make_node("DequantizeLinear", ["w", "ws", "wz"], ["v"], axis=0),
        helper.make_node("Conv", ["d", "v"], ["c"], pads=[1] * 4),
        helper.make_node("QuantizeLinear", ["c", "ys", "yz"], ["r"]),
        helper.make_node("DequantizeLinear", ["r", "ys", "yz"], ["y"]),
    ]
    onnx.save(one_input(nodes, arrays, X.shape, (1, 8, 8, 8)), path)
    return path


@pytest.mark.parametrize("device", ["CPU", "ONNXRUNTIME"])
@pytest.mark.parametrize("types", [(np.uint8, np.int8), (np.int8, np.uint8), (np.int8, np.int8)])
def test_weights_keep_a_scale_for_each_channel(
    tmp_path: Path, types: tuple[type[np.integer], type[np.integer]], device: str
) -> None:
    """ONNX Runtime makes integers of real weights between integers, with one scale for all, if it is let."""
    path = convolution(tmp_path / "m.onnx", *types)
    expected = unoptimized(path, X)
    (found,) = Core().compile_model(path, device).create_infer_request().infer({"x": X})
    assert np.ptp(expected[:, 1:]) > 20 * STEP
    assert np.abs(np.asarray(found) - expected).max() <= 1.01 * STEP


@pytest.mark.parametrize("device", ["CPU", "ONNXRUNTIME"])
def test_what_is_rounded_twice_is_not_rounded_once(tmp_path: Path, device: str) -> None:
    arrays = {"as": np.float32(0.0625), "az": np.int8(-5), "bs": np.float32(0.0375), "bz": np.int8(3)}
    nodes = []
    for given, step, held, made in [("x", "a", "q0", "m"), ("m", "b", "q1", "y")]:
        nodes.append(helper.make_node("QuantizeLinear", [given, f"{step}s", f"{step}z"], [held]))
        nodes.append(helper.make_node("DequantizeLinear", [held, f"{step}s", f"{step}z"], [made]))
    onnx.save(one_input(nodes, arrays, X.shape), tmp_path / "m.onnx")
    once = (np.clip(np.rint(X / np.float32(0.0625)) - 5, -128, 127) + 5) * np.float32(0.0625)
    expected = (np.clip(np.rint(once / np.float32(0.0375)) + 3, -128, 127) - 3) * np.float32(0.0375)
    (found,) = Core().compile_model(tmp_path / "m.onnx", device).create_infer_request().infer({"x": X})
    np.testing.assert_allclose(np.asarray(found), expected, atol=1e-5)
