"""Models on OpenVINO's plugin of ONNX Runtime, which has the CPU as a device."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from lite_delegate import Core
from tests.vendors.needed import need
from tests.vendors.running import distance, expected_of, random_inputs, runs_whole

need("onnxruntime_ep_openvino", "onnxruntime-ep-openvino")

PROVIDER = "OpenVINOExecutionProvider"


@pytest.mark.shared
@pytest.mark.parametrize("provider", [PROVIDER, f"{PROVIDER}.AUTO"])
@pytest.mark.parametrize(("name", "steps"), [("ds_cnn_kws_f32", 1e-4), ("ds_cnn_kws_int8", 1)])
def test_a_model_runs_whole_and_right(shared_models: Path, provider: str, name: str, steps: float) -> None:
    path = shared_models / f"{name}.tflite"
    compiled = Core().compile_model(path, f"ONNXRUNTIME:{provider}")
    runs_whole(compiled, provider)
    inputs = random_inputs(compiled)
    request = compiled.create_infer_request()
    for _ in range(2):  # each run reads what the same buffer has now
        assert distance([np.array(each) for each in request.infer(inputs)], expected_of(path, inputs)) <= steps
        inputs[0][...] = inputs[0][:, ::-1]


@pytest.mark.shared
def test_the_library_may_be_named(shared_models: Path) -> None:
    plugin = import_module("onnxruntime_ep_openvino")
    compiled = Core().compile_model(
        shared_models / "ds_cnn_kws_f32.tflite",
        "ONNXRUNTIME",
        {"DEVICE_ID": PROVIDER, "PLUGIN": plugin.get_library_path(), "HARDWARE": "CPU"},
    )
    runs_whole(compiled, PROVIDER)
