"""The device OPENVINO: names, presence, and what its properties do."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from lite_delegate import Core, DataType, DelegateBuildError, DelegateUnavailable, PropertyError
from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.backends.openvino.graph import OpenVINOGraph
from lite_delegate.devices.registry.delegate_spec import resolve_delegate
from lite_delegate.inference import CompiledModel

openvino = pytest.importorskip("openvino", reason="the package openvino is not installed")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    nodes = [helper.make_node("Exp", ["x"], ["e"]), helper.make_node("Sin", ["e"], ["y"])]
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 64]) for name in "xy")
    model = helper.make_model(helper.make_graph(nodes, "g", [x], [y]), opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    onnx.save(model, tmp_path / "m.onnx")
    return tmp_path / "m.onnx"


def of_openvino(compiled: CompiledModel, name: str) -> object:
    """A property of what OpenVINO compiled, as OpenVINO says it."""
    (graph,) = compiled.graph_kernels
    assert isinstance(graph, OpenVINOGraph)
    return graph.shared.compiled.get_property(name)


def test_a_model_is_compiled_by_name(path: Path) -> None:
    x = np.random.default_rng(0).standard_normal((2, 64)).astype(np.float32)
    for name in ("OPENVINO", "openvino:CPU", "HETERO:OPENVINO,CPU"):
        (y,) = Core().compile_model(path, name).create_infer_request().infer({"x": x})
        np.testing.assert_allclose(np.asarray(y), np.sin(np.exp(x)), rtol=1e-5, atol=1e-5)


@pytest.mark.shows("OPENVINO", "DEVICE_ID", "AVAILABLE_DEVICES", "FULL_DEVICE_NAME", "OPTIMIZATION_CAPABILITIES")
def test_devices_are_those_that_openvino_lists(path: Path) -> None:
    core, theirs = Core(), openvino.Core()
    assert core.get_property("OPENVINO", "AVAILABLE_DEVICES") == tuple(theirs.available_devices)
    assert core.get_property("OPENVINO", "FULL_DEVICE_NAME") == theirs.get_property("CPU", "FULL_DEVICE_NAME")
    capabilities = theirs.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    assert core.get_property("OPENVINO", "OPTIMIZATION_CAPABILITIES") == tuple(capabilities)
    assert {each.name: each.ids for each in core.devices()}["OPENVINO"] == tuple(theirs.available_devices)
    for name, properties in (("OPENVINO:NoneSuch", {}), ("OPENVINO", {"DEVICE_ID": "NoneSuch"})):
        with pytest.raises(DelegateUnavailable, match=r"has no device 'NoneSuch' here; it has .*CPU"):
            core.compile_model(path, name, properties)


@pytest.mark.shows("OPENVINO", "INFERENCE_NUM_THREADS", "INFERENCE_PRECISION_HINT", "PERFORMANCE_HINT", "NUM_STREAMS")
def test_properties_come_to_openvino(path: Path) -> None:
    usual = Core().compile_model(path, "OPENVINO")
    assert of_openvino(usual, "PERFORMANCE_HINT") == "LATENCY"
    assert of_openvino(usual, "INFERENCE_PRECISION_HINT") == openvino.Type.f32
    given = {"INFERENCE_NUM_THREADS": 1, "PERFORMANCE_HINT": "THROUGHPUT"}
    other = Core().compile_model(path, "OPENVINO", given)
    assert of_openvino(other, "INFERENCE_NUM_THREADS") == 1
    assert of_openvino(other, "PERFORMANCE_HINT") == "THROUGHPUT"
    streams = Core().compile_model(path, "OPENVINO", {"NUM_STREAMS": 2, "INFERENCE_NUM_THREADS": 2})
    assert of_openvino(streams, "NUM_STREAMS") == 2
    settings = OpenVINODelegate(options={"INFERENCE_PRECISION_HINT": "bf16"}).settings
    assert settings.config["INFERENCE_PRECISION_HINT"] == "bf16"


def test_results_in_a_lower_precision_are_held_to_that(path: Path) -> None:
    delegate = OpenVINODelegate()
    assert delegate.storage_dtype is None
    for hint, stored in (("f16", DataType.FLOAT16), ("bf16", DataType.BFLOAT16)):
        assert delegate.configured({"INFERENCE_PRECISION_HINT": hint}).storage_dtype == stored
    half = delegate.configured({"INFERENCE_PRECISION_HINT": "f16"})
    assert (half.storage_dtype, delegate.storage_dtype) == (DataType.FLOAT16, None)
    assert half.configured({"INFERENCE_PRECISION_HINT": "f32"}).storage_dtype is None
    assert OpenVINODelegate(options={"INFERENCE_PRECISION_HINT": "f16"}).storage_dtype == DataType.FLOAT16


@pytest.mark.shows("OPENVINO", "OPTIMAL_NUMBER_OF_INFER_REQUESTS")
def test_the_optimal_number_of_requests_is_what_openvino_says(path: Path) -> None:
    core = Core()
    core.set_property("OPENVINO", {"NUM_STREAMS": 2, "INFERENCE_NUM_THREADS": 2})
    compiled = core.compile_model(path, "OPENVINO")
    optimal = of_openvino(compiled, "OPTIMAL_NUMBER_OF_INFER_REQUESTS")
    assert core.get_property("OPENVINO", "OPTIMAL_NUMBER_OF_INFER_REQUESTS") == optimal == 2
    assert compiled.get_property("OPTIMAL_NUMBER_OF_INFER_REQUESTS") == 2


@pytest.mark.shows("OPENVINO", "OPENVINO_CONFIG")
def test_properties_of_openvino_are_handed_on(path: Path) -> None:
    for config, expected in (("ENABLE_CPU_PINNING=NO", "NO"), ("PERF_COUNT=YES ; ENABLE_CPU_PINNING=NO", "YES")):
        compiled = Core().compile_model(path, "OPENVINO", {"OPENVINO_CONFIG": config})
        assert of_openvino(compiled, "ENABLE_CPU_PINNING") is False
        assert of_openvino(compiled, "PERF_COUNT") == expected
    assert OpenVINODelegate(config={"PERF_COUNT": True}).settings.config["PERF_COUNT"] == "YES"
    with pytest.raises(DelegateBuildError, match="OpenVINO's CPU has no property 'NOPE'"):
        Core().compile_model(path, "OPENVINO", {"OPENVINO_CONFIG": "NOPE=1"})
    with pytest.raises(PropertyError, match="'NOPE' is not NAME=VALUE"):
        Core().set_property("OPENVINO", {"OPENVINO_CONFIG": "NOPE"})


def test_options_of_commands_are_the_properties() -> None:
    delegate = resolve_delegate("openvino", {"INFERENCE_NUM_THREADS": "3", "openvino_config": "A=1;B=2"})
    assert isinstance(delegate, OpenVINODelegate)
    assert delegate.settings.config["INFERENCE_NUM_THREADS"] == "3"
    assert (delegate.settings.config["A"], delegate.settings.config["B"]) == ("1", "2")
    assert resolve_delegate("openvino:GPU").device == "GPU"  # type: ignore[union-attr]


def test_lists_of_devices_import_no_runtime() -> None:
    code = """
import json, sys
from lite_delegate import Core
found = {each.name: each.available for each in Core().devices()}
print(json.dumps([found, [name for name in ("openvino", "onnxruntime") if name in sys.modules]]))
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    found, imported = json.loads(done.stdout)
    assert found["OPENVINO"]
    assert imported == []


def test_an_absent_package_is_an_absent_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openvino", None)
    found = {each.name: each for each in Core().devices()}["OPENVINO"]
    assert not found.available
    assert found.reason == "The package 'openvino' is not installed: pip install 'lite-delegate[openvino]'."


def test_auto_without_a_list_does_not_choose_it(path: Path) -> None:
    assert "OPENVINO" not in str(Core().compile_model(path, "AUTO").get_property("EXECUTION_DEVICES"))
    compiled = Core().compile_model(path, "AUTO:OPENVINO", {"ENABLE_STARTUP_FALLBACK": False})
    assert "OPENVINO" in str(compiled.get_property("EXECUTION_DEVICES"))


def test_the_model_that_was_compiled_says_how_many_requests_are_best(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    real = openvino.Core.compile_model

    def counted(self: object, model: object, *given: object, **named: object) -> object:
        made.append(model.get_friendly_name())  # type: ignore[attr-defined]
        return real(self, model, *given, **named)

    monkeypatch.setattr(openvino.Core, "compile_model", counted)
    core = Core()
    compiled = core.compile_model(path, "OPENVINO", {"PERFORMANCE_HINT": "THROUGHPUT"})
    assert len(made) == 1  # no small model is compiled to be asked
    assert compiled.optimal_requests == of_openvino(compiled, "OPTIMAL_NUMBER_OF_INFER_REQUESTS")


def test_other_properties_are_asked_anew(path: Path) -> None:
    delegate = OpenVINODelegate(options={"PERFORMANCE_HINT": "THROUGHPUT", "NUM_STREAMS": 2})
    assert delegate.optimal_requests() == 2
    compiled = Core().compile_model(path, "OPENVINO", {"NUM_STREAMS": 1})
    assert compiled.optimal_requests == 1
    delegate.set_property({"NUM_STREAMS": 1})
    assert delegate.optimal_requests() == 1
