"""The device ONNXRUNTIME: names, presence, and what its properties do."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper

from lite_delegate import Core, DelegateUnavailable
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.onnxruntime.graph import OnnxRuntimeGraph
from lite_delegate.inference import CompiledModel


@pytest.fixture
def path(tmp_path: Path) -> Path:
    nodes = [helper.make_node("Exp", ["x"], ["e"]), helper.make_node("Sin", ["e"], ["y"])]
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 64]) for name in "xy")
    model = helper.make_model(helper.make_graph(nodes, "g", [x], [y]), opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    onnx.save(model, tmp_path / "m.onnx")
    return tmp_path / "m.onnx"


def session_of(compiled: CompiledModel) -> ort.InferenceSession:
    (graph,) = compiled.graph_kernels
    assert isinstance(graph, OnnxRuntimeGraph)
    session = graph.shared.session
    assert isinstance(session, ort.InferenceSession)
    return session


@pytest.mark.shows("ONNXRUNTIME", "DEVICE_ID", "AVAILABLE_DEVICES")
def test_devices_are_execution_providers(path: Path) -> None:
    core, x = Core(), np.ones((2, 64), np.float32)
    assert core.get_property("ONNXRUNTIME", "AVAILABLE_DEVICES") == tuple(ort.get_available_providers())
    (y,) = core.compile_model(path, "onnxruntime:CPUExecutionProvider").create_infer_request().infer({"x": x})
    np.testing.assert_allclose(np.asarray(y), np.sin(np.exp(x)), rtol=1e-6)
    with pytest.raises(DelegateUnavailable, match=r"has no 'NoneSuch' here; it has .*CPUExecutionProvider"):
        core.compile_model(path, "ONNXRUNTIME", {"DEVICE_ID": "NoneSuch"})


@pytest.mark.shows("ONNXRUNTIME", "INFERENCE_NUM_THREADS", "SESSION_CONFIG")
def test_properties_come_to_sessions(path: Path) -> None:
    name = "session.intra_op.allow_spinning"
    compiled = Core().compile_model(path, "ONNXRUNTIME", {"INFERENCE_NUM_THREADS": 2, "SESSION_CONFIG": f"{name}=0"})
    options = session_of(compiled).get_session_options()
    assert options.intra_op_num_threads == 2
    assert options.get_session_config_entry(name) == "0"


@pytest.mark.shows("ONNXRUNTIME", "PROVIDER_OPTIONS")
def test_options_come_to_the_provider(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[object] = []

    make = ort.InferenceSession

    def noted(*arguments: Any, **named: Any) -> object:
        given.append(named["providers"])
        return make(*arguments, **named)

    monkeypatch.setattr(ort, "InferenceSession", noted)
    Core().compile_model(path, "ONNXRUNTIME", {"PROVIDER_OPTIONS": "use_arena=0"})
    assert given == [[("CPUExecutionProvider", {"use_arena": "0"})]]
    assert OnnxRuntimeDelegate(provider_options={"a": "b"}).settings.provider_options == {"a": "b"}


def test_an_absent_package_is_an_absent_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    found = {each.name: each for each in Core().devices()}["ONNXRUNTIME"]
    assert not found.available
    assert found.reason == "The package 'onnxruntime' is not installed: pip install 'lite-delegate[onnxruntime]'."
