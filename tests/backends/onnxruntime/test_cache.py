"""What ONNX Runtime optimized is kept in caches and files, and gives the same as what is made anew."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

from lite_delegate import Core, ModelFormatError
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.onnxruntime.graph import OnnxRuntimeGraph
from tests.commands import call

RNG = np.random.default_rng(0)
WEIGHT = RNG.standard_normal((8, 3, 9, 9)).astype(np.float32)
X = RNG.standard_normal((1, 3, 9, 9)).astype(np.float32)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"]), helper.make_node("Relu", ["c"], ["y"])]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 9, 9])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 8, 1, 1])
    graph = helper.make_graph(nodes, "g", [x], [y], [numpy_helper.from_array(WEIGHT, "w")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, tmp_path / "m.onnx")
    return tmp_path / "m.onnx"


def close(found: object, path: Path) -> None:
    wanted = ort.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, {"x": X})
    for a, b in zip(found, wanted, strict=True):  # type: ignore[call-overload]
        np.testing.assert_allclose(np.asarray(a), b, rtol=1e-5, atol=1e-5)


def test_a_second_core_finds_what_the_first_made(path: Path, tmp_path: Path, monkeypatch) -> None:
    device, properties = "HETERO:ONNXRUNTIME,CPU", {"CACHE_DIR": str(tmp_path / "cache")}
    close(Core().compile_model(path, device, properties).create_infer_request().infer({"x": X}), path)
    monkeypatch.setattr(OnnxRuntimeDelegate, "create_graph_kernel", None)
    second = Core().compile_model(path, device, properties)
    assert "hit" in str(second.cache_outcome).lower()
    close(second.create_infer_request().infer({"x": X}), path)
    (graph,) = second.graph_kernels
    assert isinstance(graph, OnnxRuntimeGraph)
    parsed = onnx.load_model_from_string(graph.shared.whole().content)
    assert "Relu" not in [
        node.op_type for node in parsed.graph.node
    ]  # it is in the convolution, as ONNX Runtime has it


def test_a_compiled_file_runs_where_onnxruntime_is(path: Path, tmp_path: Path) -> None:
    call("compile", path, "--delegate", "onnxruntime", "-o", tmp_path / "m.ldm")
    compiled = Core().import_model(tmp_path / "m.ldm", "HETERO:ONNXRUNTIME,CPU")
    close(compiled.create_infer_request().infer({"x": X}), path)


def test_other_properties_are_another_entry() -> None:
    key = OnnxRuntimeDelegate().cache_key()
    assert key == OnnxRuntimeDelegate().cache_key()
    others = [OnnxRuntimeDelegate(threads=1), OnnxRuntimeDelegate(session_config={"a": "1"})]
    assert all(each.cache_key() != key for each in (*others, OnnxRuntimeDelegate(provider_options={"a": "1"})))
    assert key["onnxruntime"] == ort.__version__


@pytest.mark.parametrize("data", [b"", b"12345678", b"\x02" + bytes(7) + b"{}"])
def test_other_bytes_are_no_graph_kernel(data: bytes) -> None:
    with pytest.raises(ModelFormatError, match="no graph kernel of ONNX Runtime"):
        OnnxRuntimeDelegate().import_kernel(memoryview(data), (), ())
