"""Models through the delegate give what ONNX Runtime and OpenVINO give for the file itself."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

from lite_delegate import Context, DelegateUnavailable, Model
from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.backends.openvino.emitting.emitter import OpenVINOEmitter
from lite_delegate.backends.openvino.graph import OpenVINOGraph

openvino = pytest.importorskip("openvino", reason="the package openvino is not installed")

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(0)


def weights(name: str, *shape: int) -> onnx.TensorProto:
    return numpy_helper.from_array(RNG.standard_normal(shape).astype(np.float32), name)


def small_model() -> onnx.ModelProto:
    """A convolution, a depthwise one, a branch, pools, a transpose that stays, a product and a softmax."""
    nodes = [
        helper.make_node("Conv", ["x", "w0", "b0"], ["c0"], strides=[2, 2], pads=[1, 1, 1, 1]),
        helper.make_node("Clip", ["c0", "zero", "six"], ["a0"]),
        helper.make_node("Conv", ["a0", "w1"], ["c1"], group=16, pads=[1, 1, 1, 1]),
        helper.make_node("Add", ["a0", "c1"], ["s"]),
        helper.make_node("MaxPool", ["s"], ["p"], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
        helper.make_node("Transpose", ["p"], ["t"], perm=[0, 2, 3, 1]),
        helper.make_node("MatMul", ["t", "w2"], ["m"]),
        helper.make_node("Softmax", ["m"], ["y"], axis=-1),
        helper.make_node("GlobalAveragePool", ["p"], ["g"]),
    ]
    constants = [weights("w0", 16, 3, 3, 3), weights("b0", 16), weights("w1", 16, 1, 3, 3), weights("w2", 16, 5)]
    constants += [numpy_helper.from_array(np.array(v, np.float32), n) for n, v in (("zero", 0), ("six", 6))]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 12, 10])
    outputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in ("y", "g")]
    graph = helper.make_graph(nodes, "g", [x], outputs, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def predicted(path: Path, delegate: OpenVINODelegate, x: Array) -> tuple[Model, list[Array]]:
    context = Context()
    context.set_delegate(delegate)
    model = Model()
    model.build_from_file(str(path), context=context)
    inputs = model.get_inputs()
    inputs[0].set_data_from_numpy(x)
    return model, [np.array(each.get_data_to_numpy()) for each in model.predict(inputs)]


def close(found: Sequence[Array], expected: Sequence[Array]) -> None:
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


def test_a_model_is_one_compiled_model_and_gives_what_the_file_gives(tmp_path: Path) -> None:
    path = tmp_path / "small.onnx"
    onnx.save(small_model(), path)
    x = RNG.standard_normal((1, 3, 12, 10)).astype(np.float32)
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    config = {"INFERENCE_PRECISION_HINT": "f32"}
    native = openvino.Core().compile_model(str(path), "CPU", config)({"x": x})
    model, found = predicted(path, OpenVINODelegate(threads=1), x)
    report = model.get_partition()
    assert len(report.subgraphs) == 1
    assert all(node.device != "CPU" for node in report.nodes)
    close(found, session.run(None, {"x": x}))
    close(found, list(native.values()))


def test_large_constants_are_shared_and_read_only_ones_too() -> None:
    weight = np.ones((64, 64), np.float32)
    weight.flags.writeable = False
    emitter = OpenVINOEmitter()
    handle = emitter.constant(weight)
    assert handle.get_node().data.ctypes.data == weight.ctypes.data
    (kept,) = emitter.kept
    assert np.shares_memory(kept, weight)


def test_memory_of_shared_constants_lives_as_long_as_the_graph_kernel(tmp_path: Path) -> None:
    path = tmp_path / "small.onnx"
    onnx.save(small_model(), path)
    model, _ = predicted(path, OpenVINODelegate(threads=1), np.zeros((1, 3, 12, 10), np.float32))
    (graph,) = model.get_graph_kernels()
    assert isinstance(graph, OpenVINOGraph)
    assert [array.shape for array in graph.shared.written.kept] == [(16, 3, 3, 3)]


def test_requests_side_by_side_share_the_compiled_model(tmp_path: Path) -> None:
    path = tmp_path / "small.onnx"
    onnx.save(small_model(), path)
    context = Context()
    context.set_delegate(OpenVINODelegate(threads=1))
    model = Model()
    model.build_from_file(str(path), context=context)
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    xs = [RNG.standard_normal((1, 3, 12, 10)).astype(np.float32) for _ in range(8)]
    requests = [model.compiled.create_infer_request() for _ in xs]
    with ThreadPoolExecutor(4) as pool:
        given = list(pool.map(lambda request, x: [np.array(y) for y in request.infer({"x": x})], requests, xs))
    for found, x in zip(given, xs, strict=True):
        close(found, session.run(None, {"x": x}))


def test_an_absent_package_is_one_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openvino", None)
    with pytest.raises(DelegateUnavailable, match=r"pip install 'lite-delegate\[openvino\]'"):
        OpenVINODelegate().init()


def test_an_absent_device_is_one_reason() -> None:
    with pytest.raises(DelegateUnavailable, match=r"has no device 'NoneSuch' here; it has .*CPU"):
        OpenVINODelegate("NoneSuch").init()


def test_each_device_of_a_virtual_one_is_checked() -> None:
    OpenVINODelegate("HETERO:CPU").init()
    with pytest.raises(DelegateUnavailable, match="has no device 'NoneSuch' here"):
        OpenVINODelegate("HETERO:CPU,NoneSuch").init()


def test_claims_need_no_package() -> None:
    code = """
import sys
sys.modules["openvino"] = None
import numpy as np
from lite_delegate.backends.lowering import Term
from lite_delegate.backends.openvino.emitting.emitter import OpenVINOEmitter
x = Term(None, np.dtype("float32"), (2,))
OpenVINOEmitter().check("Add", [x, x], [(x.dtype, (2,))], {})
"""
    subprocess.run([sys.executable, "-c", code], check=True)
