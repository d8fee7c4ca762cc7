"""ONNX's interface to a runtime: its published tests against ours, one node, one model, and what is rejected."""

from __future__ import annotations

import unittest
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
from onnx.backend.base import Backend  # noqa: E402
from onnx.backend.test import BackendTest  # noqa: E402
from onnx.backend.test.runner import BackendIsNotSupposedToImplementIt  # noqa: E402

from lite_delegate import onnx_backend as backend  # noqa: E402
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate  # noqa: E402
from lite_delegate.backends.openvino import OpenVINODelegate  # noqa: E402
from lite_delegate.errors import InputError, ModelFormatError, UnsupportedOperatorError  # noqa: E402
from lite_delegate.npu import NPUDelegate  # noqa: E402

SELECTION = (
    r"^test_(conv_with_strides_padding|basic_conv_with_padding|averagepool_2d_pads|maxpool_2d_same_upper|gemm_.*|"
    r"batchnorm_epsilon|layer_normalization_.*|softmax_axis_.*|reduce_mean_.*|gather_\d|slice|split_equal_.*|concat_2d_.*|"
    r"resize_upsample_scales_linear|instancenorm_epsilon|lstm_.*|gru_.*|rnn_.*|simple_rnn_.*|if|loop11|scan_sum|einsum_.*|nonmaxsuppression_iou.*|"
    r"topk|where_example|pad|hardswish|gelu_.*|qlinearconv|dequantizelinear_axis|string_concat|sin_cos|"
    r"tfidfvectorizer_tf_onlybigrams_levelempty|sequence_insert_at_back|"
    r"attention_.*(nan_robustness|mode3_zero|structural_empty|local_window_gqa_rank4_mask))_cpu$"
)
"""Names of cases of every kind: layers, recurrent, control flow, quantized, odd shapes, rejected ones, fully masked."""


class NPUBackend(backend.LiteDelegateBackend):
    """The runtime helped by the NPU, in float32, so that ONNX's tolerances hold."""

    delegate = NPUDelegate(options={"INFERENCE_PRECISION_HINT": "f32"})


class OnnxRuntimeBackend(backend.LiteDelegateBackend):
    """The runtime helped by ONNX Runtime."""

    delegate = OnnxRuntimeDelegate()


class OpenVINOBackend(backend.LiteDelegateBackend):
    """The runtime helped by OpenVINO; alone where that is not installed."""

    delegate = OpenVINODelegate()


def make(nodes: list[Any], inputs: list[Any], outputs: list[Any]) -> Any:
    """A model of these nodes."""
    opsets = [onnx.helper.make_opsetid("", 20)]
    return onnx.helper.make_model(onnx.helper.make_graph(nodes, "g", inputs, outputs), opset_imports=opsets)


def described(name: str, *shape: int | str) -> Any:
    return onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)


def sum_of(rows: int | str) -> Any:
    """s = a + b; y = relu(s)."""
    nodes = [onnx.helper.make_node("Add", ["a", "b"], ["s"]), onnx.helper.make_node("Relu", ["s"], ["y"])]
    return make(nodes, [described(n, rows, 3) for n in "ab"], [described(n, rows, 3) for n in "ys"])


SUM, FIXED_SUM = sum_of("n"), sum_of(1)
A, B = np.array([[1, -5, 3]], np.float32), np.array([[2, 2, 2]], np.float32)


@pytest.mark.filterwarnings("ignore::RuntimeWarning:onnx")
@pytest.mark.parametrize(
    "chosen",
    [backend, backend.LiteDelegateBackend, NPUBackend, OnnxRuntimeBackend, OpenVINOBackend],
    ids=["module", "class", "npu", "onnxruntime", "openvino"],
)
def test_published_cases_pass_or_are_skipped(chosen: type[Backend]) -> None:
    tests = BackendTest(chosen, __name__).include(SELECTION)
    result = unittest.TestResult()
    tests.test_suite.run(result)
    assert [(str(case), text) for case, text in (*result.failures, *result.errors)] == []
    assert result.testsRun - len(result.skipped) >= 60


def test_a_wrong_answer_fails_a_published_case() -> None:
    class WrongModel(backend.PreparedModel):
        def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
            return tuple(y + np.float32(0.01) for y in super().run(inputs, **kwargs))

    class Wrong(backend.LiteDelegateBackend):
        @classmethod
        def prepare(cls, model: Any, device: str = "CPU", **kwargs: Any) -> WrongModel:
            return WrongModel(super().prepare(model, device, **kwargs).model)

    result = unittest.TestResult()
    BackendTest(Wrong, __name__).include("^test_relu_cpu$").test_suite.run(result)
    assert len(result.failures) == 1


def test_the_npu_takes_what_it_runs() -> None:
    for device, taken in (("CPU", 0), ("NPU", 1), ("NPU:npu4000", 1)):
        assert len(backend.prepare(FIXED_SUM, device).model.get_graph_kernels()) == taken
    for delegate, taken in (("npu", 1), (NPUDelegate(), 1), ("none", 0), (None, 0)):
        assert len(backend.prepare(FIXED_SUM, delegate=delegate).model.get_graph_kernels()) == taken
    assert len(NPUBackend.prepare(FIXED_SUM).model.get_graph_kernels()) == 1
    assert len(NPUBackend.prepare(FIXED_SUM, delegate=None).model.get_graph_kernels()) == 0


@pytest.mark.parametrize("inputs", [[A, B], (A.tolist(), B.tolist()), {"b": B, "a": A}], ids=["list", "lists", "names"])
def test_outputs_come_in_order_and_by_name(inputs: Any) -> None:
    if isinstance(inputs, tuple):
        inputs = [np.array(x, np.float32) for x in inputs]
    y, s = outputs = backend.run_model(SUM, inputs)
    assert y.tolist() == [[3, 0, 5]]
    assert s.tolist() == [[3, -3, 5]]
    assert outputs["s"] is s
    assert outputs.y is y


def test_open_dimensions_follow_the_inputs() -> None:
    prepared = backend.prepare(SUM)
    for rows in (2, 5, 2):
        a = np.arange(3 * rows, dtype=np.float32).reshape(rows, 3)
        y, _ = prepared.run([a, -2 * a])
        np.testing.assert_array_equal(y, np.zeros((rows, 3), np.float32))


def test_the_npu_takes_what_has_open_dimensions_once_inputs_say_them() -> None:
    prepared = backend.prepare(SUM, "NPU")
    assert prepared.run([A, B])["y"].tolist() == [[3, 0, 5]]
    assert len(prepared.model.get_graph_kernels()) == 1


def test_one_input_needs_no_list() -> None:
    model = make([onnx.helper.make_node("Neg", ["x"], ["y"])], [described("x", 3)], [described("y", 3)])
    assert backend.run_model(model, A[0])["y"].tolist() == [-1, 5, -3]


def test_one_node() -> None:
    clip = onnx.helper.make_node("Clip", ["x", "", "high"], ["y"])
    x = np.array([-1, 0.5, 9], np.float32)
    assert backend.run_node(clip, [x, np.float32(2)])[0].tolist() == [-1, 0.5, 2]
    assert backend.run_node(clip, [x, np.float32(2)], outputs_info=[(np.float32, (3,))])[0].tolist() == [-1, 0.5, 2]
    twice = onnx.helper.make_node("Add", ["x", "x"], ["y"])
    assert backend.run_node(twice, [x], "NPU")[0].tolist() == [-2, 1, 18]


def test_a_scalar_of_what_was_transposed() -> None:
    """Transposes are moved through it; it has no axis that could be the batch."""
    x = np.full((1, 1, 1, 1), 3, np.float32)
    nodes = [
        onnx.helper.make_node("Transpose", ["x"], ["t"], perm=[0, 2, 1, 3]),
        onnx.helper.make_node("Constant", [], ["none"], value=onnx.helper.make_tensor("v", 7, [0], [])),
        onnx.helper.make_node("Reshape", ["t", "none"], ["y"]),
    ]
    assert backend.run_model(make(nodes, [described("x", *x.shape)], [described("y")]), x)["y"].tolist() == 3


def test_one_node_of_an_older_opset() -> None:
    """Softmax was over all axes from the second on, by default; it is over the last now."""
    softmax, zeros = onnx.helper.make_node("Softmax", ["x"], ["y"]), np.zeros((1, 2, 4), np.float32)
    assert backend.run_node(softmax, [zeros])[0].tolist() == [[[0.25] * 4] * 2]
    assert backend.run_node(softmax, [zeros], opset_version=11)[0].tolist() == [[[0.125] * 4] * 2]


@pytest.mark.parametrize(
    ("device", "there"),
    [("CPU", True), ("NPU", True), ("NPU:npu3720", True), ("NPU:none", False), ("CUDA", False), ("CPU:0", False)],
)
def test_devices(device: str, there: bool) -> None:
    assert backend.supports_device(device) is there
    assert backend.is_compatible(SUM, device) is there
    if not there:
        with pytest.raises(InputError, match=r"device must be|profile"):
            backend.prepare(SUM, device)


def test_what_is_not_supported_is_skipped_with_all_reasons() -> None:
    nodes = [onnx.helper.make_node(kind, ["x"], [f"y{kind}"], domain="my") for kind in ("Odd", "Even")]
    model = make(nodes, [described("x", 3)], [described("yOdd", 3)])
    model.opset_import.append(onnx.helper.make_opsetid("my", 1))
    with pytest.raises(UnsupportedOperatorError, match=r"(?s)my.*Odd.*Even|my.*Even.*Odd") as caught:
        backend.prepare(model)
    assert isinstance(caught.value, BackendIsNotSupposedToImplementIt)
    assert not backend.is_compatible(model)
    assert backend.is_compatible(SUM)


def test_a_damaged_model() -> None:
    with pytest.raises(ModelFormatError, match="it has no graph"):
        backend.prepare(onnx.ModelProto())
    assert not backend.is_compatible(onnx.ModelProto())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: backend.run_model(SUM, [A]), r"has 2 inputs, \['a', 'b'\], got 1"),
        (lambda: backend.run_model(SUM, {"a": A, "c": B}), r"\['a', 'b'\], got \['a', 'c'\]"),
        (lambda: backend.prepare(b"onnx"), "got bytes; onnx.load reads a file"),  # type: ignore[arg-type]
        (lambda: backend.prepare(SUM, opt_level="none"), "prepare has no arguments opt_level"),
        (lambda: backend.prepare(SUM, optimize="most"), "optimization level must be one of"),
        (lambda: backend.prepare(SUM, delegate="gpu"), "--delegate must be"),
        (lambda: backend.prepare(SUM).run([A, B], device="CPU"), "run has no arguments device"),
        (lambda: backend.run_node(SUM.graph.node[0], [A]), r"'Add' has 2 inputs, \['a', 'b'\], got 1"),
    ],
)
def test_bad_input(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
