"""ONNX's messages without the rest of its package."""

from __future__ import annotations

import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import onnx
import pytest
from lite_delegate_kernels.custom.element_types import ELEM_TYPES

from lite_delegate.formats.onnx.protobuf import messages
from lite_delegate.formats.onnx.protobuf.attributes import plain_attribute
from lite_delegate.formats.onnx.protobuf.tensors import TensorData
from lite_delegate.formats.onnx.protobuf.types import numpy_type

READ = """
import sys
from pathlib import Path
from lite_delegate.formats import read_model
graph = read_model(Path(sys.argv[1]))
assert [node.op_type for node in graph.nodes] == ["AddFusion"], graph.nodes
assert "onnx" not in sys.modules
from lite_delegate.formats.onnx.protobuf.messages import NodeProto
import onnx, onnx.onnx_ml_pb2
assert NodeProto is onnx.NodeProto is onnx.onnx_ml_pb2.NodeProto
onnx.checker.check_model(onnx.load(sys.argv[1]))
"""


def _model(path: Path) -> Path:
    value = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Add", ["x", "c"], ["y"], name="sum")],
        "one",
        [value("x", onnx.TensorProto.FLOAT, [3])],
        [value("y", onnx.TensorProto.FLOAT, [3])],
        [onnx.numpy_helper.from_array(np.array([1, 2, 3], np.float32), "c")],
    )
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)]), path)
    return path


def test_a_model_is_read_without_the_package_which_has_the_same_classes_afterwards(tmp_path: Path) -> None:
    command = [sys.executable, "-c", READ, str(_model(tmp_path / "one.onnx"))]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("content", [None, "raise ImportError('of another version')"])
def test_messages_that_cannot_be_had_alone_are_left_to_the_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str | None
) -> None:
    if content is not None:
        (tmp_path / "onnx_ml_pb2.py").write_text(content)
    spec = ModuleSpec("onnx", None, is_package=True)
    spec.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(messages, "find_spec", lambda name: spec)
    assert messages._alone() is None
    assert messages.definitions() is onnx


def test_dtypes_are_those_of_the_package() -> None:
    kind = onnx.TensorProto
    own = {kind.FLOAT, kind.DOUBLE, kind.FLOAT16, kind.BOOL, kind.UINT8, kind.UINT16, kind.UINT32, kind.UINT64}
    own |= {kind.INT8, kind.INT16, kind.INT32, kind.INT64}
    assert {each: numpy_type(each) for each in own} == {
        each: onnx.helper.tensor_dtype_to_np_dtype(each) for each in own
    }
    assert ELEM_TYPES.keys() == own


@pytest.mark.parametrize(
    "value",
    [3, 2.5, "text", [1, 2], [0.5, 1.5], ["a", "b"], onnx.GraphProto(name="g"), [onnx.GraphProto(name="g")]]
    + [onnx.helper.make_tensor_type_proto(1, [2]), [onnx.helper.make_tensor_type_proto(1, [2])]],
    ids=repr,
)
def test_attributes_have_the_values_that_were_given(value: object) -> None:
    assert plain_attribute(onnx.helper.make_attribute("a", value), TensorData(None)) == value


def test_an_attribute_without_a_type_has_no_value() -> None:
    assert plain_attribute(onnx.AttributeProto(name="a"), TensorData(None)) is None
