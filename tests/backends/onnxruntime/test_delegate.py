"""Models through the delegate give what ONNX Runtime gives for the file itself."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

from lite_delegate import Context, DelegateUnavailable, Model
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.onnxruntime.graph import OnnxRuntimeGraph

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(0)


def weights(name: str, *shape: int) -> onnx.TensorProto:
    return numpy_helper.from_array(RNG.standard_normal(shape).astype(np.float32), name)


def small_model(outputs: Sequence[str] = ("y", "g")) -> onnx.ModelProto:
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
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in outputs]
    graph = helper.make_graph(nodes, "g", [x], infos, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def predicted(path: Path, delegate: OnnxRuntimeDelegate, x: Array) -> tuple[Model, list[Array]]:
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


def test_a_model_is_one_session_and_gives_what_the_file_gives(tmp_path: Path) -> None:
    path = tmp_path / "small.onnx"
    onnx.save(small_model(), path)
    x = RNG.standard_normal((1, 3, 12, 10)).astype(np.float32)
    expected = ort.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, {"x": x})
    model, found = predicted(path, OnnxRuntimeDelegate(threads=1), x)
    report = model.get_partition()
    assert len(report.subgraphs) == 1
    assert all(node.device != "CPU" for node in report.nodes)
    close(found, expected)


def test_weights_are_not_in_the_model_that_is_handed_over(tmp_path: Path) -> None:
    path = tmp_path / "small.onnx"
    onnx.save(small_model(), path)
    delegate = OnnxRuntimeDelegate(threads=1)
    model, _ = predicted(path, delegate, np.zeros((1, 3, 12, 10), np.float32))
    (graph,) = model.get_graph_kernels()
    assert isinstance(graph, OnnxRuntimeGraph)
    whole = graph.shared.whole()
    parsed = onnx.load_model_from_string(whole.content)
    outside = {each.name for each in parsed.graph.initializer if each.data_location == TensorProto.EXTERNAL}
    assert outside == set(whole.outside)
    assert [array.shape for array in whole.outside.values()] == [(16, 3, 3, 3)]


def test_each_run_reads_what_it_is_given(tmp_path: Path) -> None:
    """The same array with other contents, another one, and one that is not in order."""
    path = tmp_path / "small.onnx"
    onnx.save(small_model(), path)
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    model, _ = predicted(path, OnnxRuntimeDelegate(threads=1), np.zeros((1, 3, 12, 10), np.float32))
    request = model.compiled.create_infer_request()
    x = RNG.standard_normal((1, 3, 12, 10)).astype(np.float32)
    reversed_axes = np.ascontiguousarray(x.transpose()).transpose()
    for given, change in ((x, 0.0), (x, 1.0), (x + 2, 0.0), (reversed_axes, 0.0), (reversed_axes, 3.0), (x, 0.0)):
        given += np.float32(change)
        close([np.array(each) for each in request.infer([given])], session.run(None, {"x": given}))


def test_an_absent_package_is_one_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(DelegateUnavailable, match=r"pip install 'lite-delegate\[onnxruntime\]'"):
        OnnxRuntimeDelegate().init()


def test_an_absent_provider_is_one_reason() -> None:
    with pytest.raises(DelegateUnavailable, match=r"has no 'NoneSuch' here; it has .*CPUExecutionProvider"):
        OnnxRuntimeDelegate("NoneSuch").init()
