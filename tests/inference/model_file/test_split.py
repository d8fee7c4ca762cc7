"""Files of models that were split between a device and the CPU: whom they are for is told and kept alike."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from lite_delegate import Core, FallbackError
from lite_delegate.inference.model_file import FileVerdict, device_of

SPLIT = "HETERO:NPU.kirin,CPU"


@pytest.fixture
def exported(tmp_path) -> bytes:
    """Erf is none of kirin's operators."""
    nodes = [helper.make_node("Relu", ["x"], ["a"]), helper.make_node("Erf", ["a"], ["b"], "odd")]
    nodes.append(helper.make_node("Neg", ["b"], ["y"]))
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 8]) for name in "xy"]
    graph = helper.make_graph(nodes, "g", infos[:1], infos[1:])
    path = tmp_path / "m.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return bytes(Core().compile_model(path, SPLIT).export_model())


def test_a_file_names_the_device_that_it_was_compiled_for(exported: bytes) -> None:
    assert device_of(exported) == SPLIT
    core = Core()
    compiled = core.import_model(exported)
    assert compiled.get_property("EXECUTION_DEVICES") == ("NPU.kirin", "CPU")
    x = np.linspace(-1, 1, 8, dtype=np.float32).reshape(1, 8)
    expected = core.import_model(exported, SPLIT)([x])
    for found, wanted in zip(compiled([x]).values(), expected.values(), strict=True):
        np.testing.assert_array_equal(found, wanted)
    assert device_of(bytes(compiled.export_model())) == SPLIT


@pytest.mark.parametrize("device", ["NPU.kirin", "HETERO:NPU.kirin"])
def test_what_is_said_of_a_device_alone_is_what_importing_says(exported: bytes, device: str) -> None:
    core = Core()
    said = core.check_compatibility(exported, device)
    with pytest.raises(FallbackError) as raised:
        core.import_model(exported, device)
    assert said.verdict is FileVerdict.NOT_SUPPORTED
    assert said.reasons == (str(raised.value),)
    assert "'odd' (Erf)" in said.reasons[0]
    assert f"Import it for '{SPLIT}'" in said.reasons[0]
    assert core.check_compatibility(exported, SPLIT).verdict is FileVerdict.SUPPORTED


def test_a_device_that_runs_all_of_it_is_told_without_the_cpu(tmp_path) -> None:
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 8]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", infos[:1], infos[1:])
    path = tmp_path / "m.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    core = Core()
    data = bytes(core.compile_model(path, "NPU.kirin").export_model())
    assert device_of(data) == "NPU.kirin"
    assert core.check_compatibility(data, "NPU.kirin").verdict is FileVerdict.SUPPORTED
    assert core.import_model(data).get_property("EXECUTION_DEVICES") == ("NPU.kirin",)
