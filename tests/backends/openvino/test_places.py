"""Where OpenVINO runs what it compiled is read back."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from onnx import TensorProto, helper

from lite_delegate import Context, DelegateBuildError, Model, ModelType
from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.backends.openvino.models.places import check_devices, execution_devices, places_of


def compiled(*devices: str) -> Any:
    return SimpleNamespace(get_property=lambda name: list(devices) if name == "EXECUTION_DEVICES" else None)


@pytest.mark.parametrize("device", ["CPU", "AUTO:CPU", "HETERO:CPU", "MULTI:CPU"])
def test_a_report_has_the_device_that_openvino_names(device: str) -> None:
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 8]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Exp", ["x"], ["y"], "e")], "g", [x], [y])
    file = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    context = Context()
    context.set_delegate(OpenVINODelegate(device))
    model = Model()
    model.build_from_buffer(file.SerializeToString(), ModelType.MINDIR, context)
    assert [(n.device, n.provider) for n in model.get_partition().nodes] == [("openvino", "CPU")]


@pytest.mark.parametrize(
    ("asked", "found"),
    [("GPU", ["GPU.0"]), ("GPU.1", ["GPU.1"]), ("AUTO:GPU,CPU", ["(CPU)"]), ("HETERO:GPU,CPU", ["GPU.0", "CPU"])],
)
def test_a_device_that_was_asked_for_is_right(asked: str, found: list[str]) -> None:
    check_devices(compiled(*found), asked)


@pytest.mark.parametrize("asked", ["GPU", "AUTO:GPU,NPU", "MULTI:GPU"])
def test_a_device_that_was_not_asked_for_is_an_error(asked: str) -> None:
    with pytest.raises(DelegateBuildError, match="but runs the model on CPU"):
        check_devices(compiled("CPU"), asked)


def test_layers_of_several_devices_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    core = SimpleNamespace(query_model=lambda model, device: {"conv": "GPU.0", "topk": "CPU"})
    monkeypatch.setattr("lite_delegate.backends.openvino.models.places.core", lambda: core)
    found = places_of(compiled("GPU.0", "CPU"), object(), "HETERO:GPU,CPU")
    assert found == {"": "GPU.0, CPU", "conv": "GPU.0", "topk": "CPU"}


def test_a_device_that_does_not_say_is_not_guessed() -> None:
    def raises(name: str) -> Any:
        raise RuntimeError("unsupported property")

    silent = SimpleNamespace(get_property=raises)
    assert execution_devices(silent) == []
    assert places_of(silent, None, "GPU") == {}
    check_devices(silent, "GPU")
