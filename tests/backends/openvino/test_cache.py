"""What OpenVINO compiled is kept in caches and files, and gives the same as what is compiled anew."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from lite_delegate import Core, ModelFormatError
from lite_delegate.backends.openvino import OpenVINODelegate
from tests.commands import call

openvino = pytest.importorskip("openvino", reason="the package openvino is not installed")
RNG = np.random.default_rng(0)
WEIGHT = RNG.standard_normal((8, 3, 3, 3)).astype(np.float32)
X = RNG.standard_normal((1, 3, 9, 9)).astype(np.float32)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["y"]),
        helper.make_node("Identity", ["x"], ["same"]),
    ]
    x, same = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 3, 9, 9]) for name in ("x", "same"))
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 8, 9, 9])
    graph = helper.make_graph(nodes, "g", [x], [y, same], [numpy_helper.from_array(WEIGHT, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), tmp_path / "m.onnx")
    return tmp_path / "m.onnx"


def expected(path: Path) -> list[np.ndarray]:
    config = {"INFERENCE_PRECISION_HINT": "f32"}
    return list(openvino.Core().compile_model(str(path), "CPU", config)({"x": X}).values())


def close(found: object, wanted: object) -> None:
    for a, b in zip(found, wanted, strict=True):  # type: ignore[call-overload]
        np.testing.assert_allclose(np.asarray(a), b, rtol=1e-5, atol=1e-5)


def test_a_second_core_finds_what_the_first_compiled(path: Path, tmp_path: Path, monkeypatch) -> None:
    device, properties = "HETERO:OPENVINO,CPU", {"CACHE_DIR": str(tmp_path / "cache")}
    first = Core().compile_model(path, device, properties)
    close(first.create_infer_request().infer({"x": X}), expected(path))
    monkeypatch.setattr(OpenVINODelegate, "create_graph_kernel", None)
    second = Core().compile_model(path, device, properties)
    assert "hit" in str(second.cache_outcome).lower()
    close(second.create_infer_request().infer({"x": X}), expected(path))


def test_other_properties_are_another_entry(path: Path) -> None:
    key = OpenVINODelegate().cache_key()
    assert key is not None
    assert key == OpenVINODelegate().cache_key()
    for other in (OpenVINODelegate(threads=1), OpenVINODelegate(config={"PERF_COUNT": "YES"})):
        assert other.cache_key() != key
    assert key["openvino"] == openvino.__version__


def test_a_compiled_file_runs_where_openvino_is(path: Path, tmp_path: Path) -> None:
    call("compile", path, "--delegate", "openvino", "-o", tmp_path / "m.ldm")
    compiled = Core().import_model(tmp_path / "m.ldm", "HETERO:OPENVINO,CPU")
    close(compiled.create_infer_request().infer({"x": X}), expected(path))
    done = call("run", tmp_path / "m.ldm", "--delegate", "openvino")
    assert "on 'OPENVINO'" in done.stdout or "openvino" in done.stdout.lower()


@pytest.mark.parametrize("data", [b"", b"12345678", bytes(8) + b"{}", b"\x02" + bytes(7) + b"{}"])
def test_other_bytes_are_no_graph_kernel(data: bytes) -> None:
    with pytest.raises(ModelFormatError, match="no graph kernel of OpenVINO"):
        OpenVINODelegate().import_kernel(memoryview(data), (), ())
