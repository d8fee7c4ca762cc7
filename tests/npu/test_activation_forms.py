"""Convolutions with an activation behind each, from ONNX, TensorFlow Lite and ``.ms``: one subgraph, one estimate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate import Context, Model, ModelType
from lite_delegate.formats.ms import ms_bytes
from lite_delegate.ir import Graph
from lite_delegate.npu import NPUDelegate
from lite_delegate.report import partition_report
from tests.formats.tflite.models import G, Op, T, const, litert, model_bytes, out
from tests.passes.random_graphs import Builder

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

LAYERS, SIDE, CHANNELS = 10, 8, 8
RNG = np.random.default_rng(7)
WEIGHTS = [(RNG.normal(size=(CHANNELS, 3, 3, CHANNELS)) / 8).astype(np.float32) for _ in range(LAYERS)]
X = RNG.normal(size=(1, SIDE, SIDE, CHANNELS)).astype(np.float32)
CLIPS = {"relu6": (0.0, 6.0), "range": (-0.5, 1.5)}
PROFILES = {
    "leaky": ("generic", "kirin", "myriad_x", "npu3720", "npu4000"),
    "elu": ("generic", "kirin", "myriad_x", "npu3720", "npu4000"),
    "relu6": ("generic", "kirin", "myriad_x", "npu3720", "npu4000"),
    "range": ("generic", "myriad_x", "npu3720", "npu4000"),
}
CASES = [(kind, profile) for kind, profiles in PROFILES.items() for profile in profiles]
NATIVE: dict[str, dict[str, Any]] = {
    "leaky": {"activation_type": "LEAKY_RELU", "alpha": 0.125},
    "elu": {"activation_type": "ELU", "alpha": 1.0},
    "relu6": {"activation_type": "RELU6"},
    "range": {"activation_type": "HARD_TANH", "min_val": -0.5, "max_val": 1.5},
}


def native(kind: str, *, spelled: bool = False, bias: bool = False) -> Graph:
    """The chain as ``.ms`` has it: Activation, or the operator that is called after the function."""
    other: dict[str, tuple[str, dict[str, Any]]] = {
        "leaky": ("LeakyRelu", {"negative_slope": 0.125}),
        "elu": ("Elu", {"alpha": 1.0}),
        **{name: ("Clip", {"min": low, "max": high}) for name, (low, high) in CLIPS.items()},
    }
    op, attributes = other[kind] if spelled else ("Activation", NATIVE[kind])
    b = Builder()
    y = b.input("x", X.shape)
    zeros = [b.const(np.zeros(CHANNELS))] if bias else []
    for weight in WEIGHTS:
        inputs = [y, b.const(weight), *zeros]
        y = b.node("Conv2DFusion", *inputs, group=1, pad_mode="SAME", kernel_size=(3, 3), stride=(1, 1))
        y = b.node(op, y, **attributes)
    return b.graph(y)


def onnx_chain(kind: str) -> bytes:
    """In (N, C, H, W), which stands between two transposes, so that both files take the same array."""
    helper = onnx.helper
    nodes = [helper.make_node("Transpose", ["x"], ["y0"], perm=[0, 3, 1, 2])]
    constants = []
    for i, weight in enumerate(WEIGHTS):
        constants.append(onnx.numpy_helper.from_array(np.ascontiguousarray(weight.transpose(0, 3, 1, 2)), f"w{i}"))
        nodes.append(helper.make_node("Conv", [f"y{i}", f"w{i}"], [f"c{i}"], pads=[1, 1, 1, 1]))
        nodes.append(_onnx_activation(kind, f"c{i}", f"y{i + 1}"))
    for name, bound in zip(("low", "high"), CLIPS.get(kind, ()), strict=False):
        constants.append(onnx.numpy_helper.from_array(np.float32(bound), name))
    nodes.append(helper.make_node("Transpose", [f"y{LAYERS}"], ["y"], perm=[0, 2, 3, 1]))
    ends = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, X.shape) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "chain", ends[:1], ends[1:], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString())


def _onnx_activation(kind: str, x: str, y: str) -> Any:
    if kind in CLIPS:
        return onnx.helper.make_node("Clip", [x, "low", "high"], [y])
    if kind == "leaky":
        return onnx.helper.make_node("LeakyRelu", [x], [y], alpha=0.125)
    return onnx.helper.make_node("Elu", [x], [y], alpha=1.0)


def tflite_chain(kind: str) -> bytes:
    ops = {"leaky": "LEAKY_RELU", "elu": "ELU", "relu6": "RELU6"}
    tensors: list[T] = [T(X), const(np.zeros(CHANNELS, np.float32))]
    nodes: list[Op] = []
    for weight in WEIGHTS:
        last = len(tensors) - 1 if nodes else 0
        tensors += [const(weight), out(shape=X.shape), out(shape=X.shape)]
        count = len(tensors)
        nodes.append(
            Op(
                "CONV_2D",
                [last, count - 3, 1],
                [count - 2],
                "Conv2DOptions",
                {"strideH": 1, "strideW": 1, "padding": 0},
            )
        )
        table, options = ("LeakyReluOptions", {"alpha": 0.125}) if kind == "leaky" else ("", {})
        nodes.append(Op(ops[kind], [count - 2], [count - 1], table, options))
    return model_bytes([G(tensors, nodes, [0], [len(tensors) - 1])])


def planned(content: bytes, profile: str) -> tuple[int, int, float | None, Any]:
    """Subgraphs, nodes left on the CPU, estimated microseconds of the subgraphs, and what one prediction gives."""
    context = Context()
    context.set_delegate(NPUDelegate(profile))
    model = Model()
    model.build_from_buffer(content, ModelType.MINDIR_LITE, context)
    data = partition_report(model)
    (y,) = model.predict([X])
    return (
        len(data.subgraphs),
        data.kernels_total - data.kernels_delegated,
        data.estimated_us,
        y.get_data_to_numpy(),
    )


@pytest.mark.parametrize(("kind", "profile"), CASES)
def test_from_onnx_as_from_ms(kind: str, profile: str) -> None:
    content = onnx_chain(kind)
    subgraphs, left, estimate, y = planned(content, profile)
    assert (subgraphs, left) == (1, 0)
    assert estimate == planned(ms_bytes(native(kind)), profile)[2]
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    (want,) = session.run(None, {"x": X})
    np.testing.assert_allclose(y, want, rtol=0, atol=1e-2 * np.abs(want).max())


@pytest.mark.parametrize(("kind", "profile"), [case for case in CASES if case[0] != "range"])
def test_from_tflite_as_from_ms(kind: str, profile: str) -> None:
    content = tflite_chain(kind)
    subgraphs, left, estimate, y = planned(content, profile)
    assert (subgraphs, left) == (1, 0)
    assert estimate == planned(ms_bytes(native(kind, bias=True)), profile)[2]
    (want,) = litert(content, [X])
    np.testing.assert_allclose(y, want, rtol=0, atol=1e-2 * np.abs(want).max())


@pytest.mark.parametrize(("kind", "profile"), CASES)
def test_from_ms_by_either_operator(kind: str, profile: str) -> None:
    native_form, spelled = (planned(ms_bytes(native(kind, spelled=s)), profile) for s in (False, True))
    assert spelled[:3] == native_form[:3]
    np.testing.assert_array_equal(spelled[3], native_form[3])


def test_the_level_none_has_the_same_forms(tmp_path: Path) -> None:
    context = Context()
    context.optimize = "none"
    context.set_delegate(NPUDelegate("generic"))
    model = Model()
    path = tmp_path / "chain.onnx"
    path.write_bytes(onnx_chain("leaky"))
    model.build_from_file(str(path), ModelType.MINDIR_LITE, context)
    assert len(partition_report(model).subgraphs) == 1
