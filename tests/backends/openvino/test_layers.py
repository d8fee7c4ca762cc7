"""The layers that OpenVINO measures, in the profile of a request, against what it says itself of the same model."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from lite_delegate import Core
from lite_delegate.backends.openvino.graph import OpenVINOGraph

openvino = pytest.importorskip("openvino", reason="the package openvino is not installed")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    weights = [rng.standard_normal((64, 64)).astype(np.float32) for _ in range(2)]
    nodes = [
        helper.make_node("MatMul", ["x", "w0"], ["a"], name="first"),
        helper.make_node("CumSum", ["a", "axis"], ["b"], name="sums"),  # nothing that it is fused with
        helper.make_node("MatMul", ["b", "w1"], ["y"], name="second"),
    ]
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [32, 64]) for name in "xy")
    constants = [numpy_helper.from_array(weight, f"w{number}") for number, weight in enumerate(weights)]
    constants.append(numpy_helper.from_array(np.array(1), "axis"))
    graph = helper.make_graph(nodes, "g", [x], [y], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, tmp_path / "m.onnx")
    return tmp_path / "m.onnx"


@pytest.mark.shows("OPENVINO", "PERF_COUNT")
def test_profiles_of_requests_have_them(path: Path) -> None:
    compiled = Core().compile_model(path, "OPENVINO", {"PERF_COUNT": "YES"})
    request = compiled.create_infer_request()
    request.infer([np.ones((32, 64), np.float32)])
    _, _, _, *layers = request.get_profiling_info()
    (graph,) = compiled.graph_kernels
    assert isinstance(graph, OpenVINOGraph)
    theirs = graph.shared.compiled.create_infer_request()
    theirs.infer([np.ones((32, 64), np.float32)])
    expected = theirs.get_profiling_info()
    assert [each.node_name for each in layers] == [f"{graph.name}: {each.node_name}" for each in expected]
    assert [each.node_type for each in layers] == [each.node_type for each in expected]
    assert [each.exec_type for each in layers] == [each.exec_type for each in expected]
    ran = {each.node_name.partition(": ")[2] for each in layers if each.status == "executed"}
    assert {"first", "sums", "second"} <= ran  # our kernels' names
    took = [each.real_time for each in layers if each.status == "executed"]
    assert all(each >= timedelta(0) for each in took)
    assert timedelta(0) < sum(took, timedelta(0)) <= request.latency + timedelta(milliseconds=1)


def test_nothing_is_measured_unless_asked_for(path: Path) -> None:
    request = Core().compile_model(path, "OPENVINO").create_infer_request()
    request.infer([np.ones((32, 64), np.float32)])
    assert len(request.get_profiling_info()) == 3
