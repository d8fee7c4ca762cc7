"""Faults of OpenVINO: what fails goes to the CPU with the reason, as for any delegate."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from lite_delegate import Context, DelegateExecuteError, DelegateUnavailable, Model
from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.backends.openvino.models.compiled import BoundRequest, SharedCompiledModel
from lite_delegate.backends.openvino.models.package import core

openvino = pytest.importorskip("openvino", reason="the package openvino is not installed")
X = np.linspace(-2, 2, 128, dtype=np.float32).reshape(2, 64)
Y = np.sin(np.exp(X))


@pytest.fixture
def path(tmp_path: Path) -> str:
    nodes = [helper.make_node("Exp", ["x"], ["e"]), helper.make_node("Sin", ["e"], ["y"])]
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 64]) for name in "xy")
    graph = helper.make_graph(nodes, "g", [x], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, tmp_path / "m.onnx")
    return str(tmp_path / "m.onnx")


def built(path: str, delegate: OpenVINODelegate, on_error: str = "fallback") -> Model:
    context = Context()
    context.set_delegate(delegate)
    context.on_delegate_error = on_error
    model = Model()
    model.build_from_file(path, context=context)
    return model


def gives_what_is_expected(model: Model) -> None:
    inputs = model.get_inputs()
    inputs[0].set_data_from_numpy(X)
    (y,) = model.predict(inputs)
    np.testing.assert_allclose(y.get_data_to_numpy(), Y, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("package", [None, ModuleType("openvino")])
def test_without_a_package_that_works_the_cpu_runs(path: str, monkeypatch, package: ModuleType | None) -> None:
    monkeypatch.setitem(sys.modules, "openvino", package)
    with pytest.warns(match="openvino"):
        model = built(path, OpenVINODelegate())
    assert all(not node.subgraph for node in model.get_partition().nodes)
    gives_what_is_expected(model)


def test_a_device_that_is_not_listed_any_more_is_absent(path: str, monkeypatch) -> None:
    OpenVINODelegate().init()
    monkeypatch.setattr("lite_delegate.backends.openvino.models.package.devices", list)
    with pytest.raises(DelegateUnavailable, match="has no device 'CPU' here; it has none"):
        OpenVINODelegate().init()
    with pytest.warns(match="has no device 'CPU' here; it has none"):
        gives_what_is_expected(built(path, OpenVINODelegate()))


def test_devices_that_cannot_be_listed_are_absent(monkeypatch) -> None:
    class Broken:
        @property
        def available_devices(self) -> list[str]:
            raise RuntimeError("no plugins.xml")

    monkeypatch.setattr("lite_delegate.backends.openvino.models.package.core", Broken)
    with pytest.raises(DelegateUnavailable, match=r"OpenVINO cannot list its devices: no plugins\.xml"):
        OpenVINODelegate().init()


def test_a_model_that_does_not_compile_goes_to_the_cpu_with_the_reason(path: str) -> None:
    with pytest.warns(match="OpenVINO cannot compile for CPU"):
        model = built(path, OpenVINODelegate(config={"NUM_STREAMS": "many"}))
    nodes = model.get_partition().nodes
    assert all(not node.subgraph for node in nodes)
    assert all("OpenVINO cannot compile for CPU: " in node.reason and "many" in node.reason for node in nodes)
    gives_what_is_expected(model)


def test_a_request_that_fails_once_is_run_by_the_cpu_and_then_again_by_openvino(path: str, monkeypatch) -> None:
    model = built(path, OpenVINODelegate())
    requests: list[BoundRequest] = []
    bind, make = BoundRequest.bind, SharedCompiledModel.request

    def noted(self: SharedCompiledModel) -> BoundRequest:
        requests.append(make(self))
        return requests[-1]

    def failing(self: BoundRequest, inputs: Sequence[Any], outputs: Sequence[Any]) -> Callable[[], object]:
        if len(requests) == 1:
            raise RuntimeError("Exception from src/infer_request.cpp:1:\nthe stream was lost")
        return bind(self, inputs, outputs)

    monkeypatch.setattr(SharedCompiledModel, "request", noted)
    monkeypatch.setattr(BoundRequest, "bind", failing)
    with pytest.warns(match="OpenVINO failed in '.*': the stream was lost"):
        gives_what_is_expected(model)
    gives_what_is_expected(model)
    assert len(requests) == 2


def test_a_request_that_fails_is_an_error_where_no_fallback_is_wanted(path: str, monkeypatch) -> None:
    model = built(path, OpenVINODelegate(), "raise")
    monkeypatch.setattr(BoundRequest, "bind", lambda self, inputs, outputs: core().no_such_method)
    inputs = model.get_inputs()
    inputs[0].set_data_from_numpy(X)
    with pytest.raises(DelegateExecuteError, match=r"OpenVINO failed in 'OpenVINO0': .*no_such_method"):
        model.predict(inputs)
