"""LSTM, GRU and RNN: by our kernels and by ONNX's own, against ONNX Runtime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from lite_delegate.ir import custom_type
from lite_delegate.ir.custom import imported_as_custom
from tests.formats.onnx.comparing import Array, check, imported, peer

T, B, F, H = 5, 3, 4, 6
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
STATES = {"LSTM": 2, "GRU": 1, "RNN": 1}
DIRECTIONS = ["forward", "reverse", "bidirectional"]


def recurrent(
    op_type: str,
    direction: str = "forward",
    *,
    bias: bool = True,
    states: bool = False,
    lengths: bool = False,
    peepholes: bool = False,
    weights_given: bool = False,
    batch: int | None = B,
    **attributes: Any,
) -> tuple[onnx.ModelProto, dict[str, Array]]:
    """A model of one recurrent node with all outputs, and inputs for it."""
    rng = np.random.default_rng(7)
    d, g = 2 if direction == "bidirectional" else 1, GATES[op_type]

    def numbers(*shape: int) -> Array:
        return rng.normal(size=shape).astype(np.float32)

    constants = {"w": numbers(d, g * H, F), "r": numbers(d, g * H, H)}
    if bias:
        constants["b"] = numbers(d, 2 * g * H)
    batch_first = bool(attributes.get("layout", 0))
    inputs = {"x": numbers(B, T, F) if batch_first else numbers(T, B, F)}
    if lengths:
        inputs["lengths"] = np.array([2, 5, 1], np.int32)
    names = ["x", "w", "r", "b" if bias else "", "lengths" if lengths else ""]
    for i in range(STATES[op_type]):
        names.append(f"s{i}" if states else "")
        if states:
            inputs[f"s{i}"] = numbers(B, d, H) if batch_first else numbers(d, B, H)
    if peepholes:
        constants["p"] = numbers(d, 3 * H)
        names.append("p")
    if weights_given:
        inputs |= constants
        constants = {}
    outputs = ["y", *(f"last{i}" for i in range(STATES[op_type]))]
    node = helper.make_node(op_type, names, outputs, "cell", hidden_size=H, direction=direction, **attributes)
    infos = [
        helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for n, a in inputs.items()
    ]
    if batch is None:
        infos[0].type.tensor_type.shape.dim[0 if batch_first else 1].dim_param = "batch"
    graph = helper.make_graph(
        [node],
        "recurrent",
        infos,
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in outputs],
        [numpy_helper.from_array(a, n) for n, a in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10), inputs


def operators(model: onnx.ModelProto) -> set[str]:
    return {custom_type(node.primitive) for graph in imported(model).all_graphs() for node in graph.nodes}


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("op_type", GATES)
def test_directions(op_type: str, direction: str, tmp_path: Path) -> None:
    for options in ({}, {"states": True}, {"bias": False}):
        model, inputs = recurrent(op_type, direction, **options)
        check(model, inputs, atol=2e-6, folder=tmp_path)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("op_type", GATES)
def test_sequences_of_different_lengths(op_type: str, direction: str) -> None:
    model, inputs = recurrent(op_type, direction, lengths=True, states=True)
    check(model, inputs, atol=2e-6)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_a_reset_gate_behind_the_product(direction: str, tmp_path: Path) -> None:
    for bias in (True, False):
        model, inputs = recurrent("GRU", direction, linear_before_reset=1, states=True, bias=bias)
        check(model, inputs, atol=2e-6, folder=tmp_path)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_peepholes_and_coupled_gates(direction: str) -> None:
    check(*recurrent("LSTM", direction, peepholes=True, states=True), atol=2e-6)
    check(*recurrent("LSTM", direction, peepholes=True, input_forget=1, clip=0.5), atol=2e-6)


@pytest.mark.parametrize("op_type", GATES)
def test_clipping(op_type: str) -> None:
    check(*recurrent(op_type, clip=0.25), atol=2e-6)


@pytest.mark.parametrize(
    ("name", "alpha", "beta"),
    [
        ("Affine", 0.7, 0.1),
        ("Elu", 0.8, None),
        ("HardSigmoid", 0.3, 0.4),
        ("LeakyRelu", 0.2, None),
        ("Relu", None, None),
        ("ScaledTanh", 0.9, 0.6),
        ("Sigmoid", None, None),
        ("Softplus", None, None),
        ("Softsign", None, None),
        ("Tanh", None, None),
        ("ThresholdedRelu", 0.1, None),
    ],
)
def test_activations(name: str, alpha: float | None, beta: float | None) -> None:
    attributes: dict[str, Any] = {"activations": ["Sigmoid", name]}
    if alpha is not None:
        attributes["activation_alpha"] = [alpha]
    if beta is not None:
        attributes["activation_beta"] = [beta]
    check(*recurrent("GRU", **attributes), atol=1e-5)


@pytest.mark.parametrize(
    ("name", "alpha", "beta"),
    [("Elu", 1, None), ("HardSigmoid", 0.2, 0.5), ("LeakyRelu", 0.01, None), ("ThresholdedRelu", 1, None)],
)
def test_numbers_that_activations_have_by_themselves(name: str, alpha: float, beta: float | None) -> None:
    """Those of the operators of the same names. NOTE: ONNX Runtime has others, so it is told."""
    model, inputs = recurrent("RNN", activations=[name])
    told: dict[str, Any] = {"activation_alpha": [float(alpha)]} | ({} if beta is None else {"activation_beta": [beta]})
    check(model, inputs, peer(recurrent("RNN", activations=[name], **told)[0], inputs), atol=1e-5)


def test_numbers_of_activations_go_to_those_that_take_one() -> None:
    attributes: dict[str, Any] = {"activations": ["HardSigmoid", "Tanh", "LeakyRelu"], "activation_alpha": [0.3, 0.1]}
    check(*recurrent("LSTM", activation_beta=[0.6], **attributes), atol=1e-5)


@pytest.mark.parametrize("op_type", GATES)
def test_weights_that_are_inputs(op_type: str) -> None:
    check(*recurrent(op_type, "bidirectional", weights_given=True), atol=2e-6)


@pytest.mark.parametrize("op_type", GATES)
def test_a_batch_of_any_size(op_type: str) -> None:
    model, inputs = recurrent(op_type, batch=None)
    check(model, inputs, atol=2e-6)


@pytest.mark.parametrize("op_type", GATES)
def test_batches_first(op_type: str) -> None:
    """ONNX Runtime has no such layout: the expected results are those of the other layout, turned."""
    model, inputs = recurrent(op_type, "bidirectional", states=True)
    turned, _ = recurrent(op_type, "bidirectional", states=True, layout=1)
    y, *last = peer(model, inputs)
    given = {n: np.ascontiguousarray(a.swapaxes(0, 1)) for n, a in inputs.items()}
    check(turned, given, [y.transpose(2, 0, 1, 3), *(s.swapaxes(0, 1) for s in last)], atol=2e-6)


@pytest.mark.parametrize(
    ("op_type", "attributes", "by_kernel"),
    [
        ("LSTM", {}, True),
        ("LSTM", {"clip": 1.0}, False),
        ("LSTM", {"peepholes": True}, False),
        ("LSTM", {"lengths": True}, False),
        ("GRU", {}, True),
        ("GRU", {"lengths": True}, True),
        ("GRU", {"linear_before_reset": 1}, False),
        ("RNN", {}, False),
    ],
)
def test_kernels_are_used_where_they_do_what_is_asked_for(
    op_type: str, attributes: dict[str, Any], by_kernel: bool
) -> None:
    found = operators(recurrent(op_type, **attributes)[0])
    assert (op_type in found) is by_kernel
    assert (f"ai.onnx.{op_type}" in found) is not by_kernel


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        ({"activations": ["Sigmoid", "Swirl"]}, "activation swirl; those of the standard are affine, elu"),
        ({"activations": ["Sigmoid"]}, "activations must be 2, found 1"),
        ({"clip": -1.0}, "clip must be >= 0, found -1"),
    ],
)
def test_what_is_rejected(attributes: dict[str, Any], reason: str) -> None:
    (node,) = imported(recurrent("GRU", **attributes)[0]).nodes
    assert reason in imported_as_custom(node.primitive)


@pytest.mark.parametrize("by_row", [False, True])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
def test_weights_of_8_bits(direction: str, by_row: bool) -> None:
    """ONNX Runtime's quantizer turns the weights; it quantizes inputs and states, too, so results are near.

    The integers are so small that products of processors without instructions for them do not overflow.
    """
    rng = np.random.default_rng(8)
    d = 2 if direction == "bidirectional" else 1
    wide, narrow = (rng.integers(-60, 61, (d, n, 4 * H)).astype(np.int8) for n in (F, H))
    count = (d, 4 * H) if by_row else (d,)
    scales = [rng.uniform(0.005, 0.01, count).astype(np.float32) for _ in range(2)]
    points = [np.zeros(count, np.int8) for _ in range(2)]
    names = ["x", "w", "r", "b", "", "", "", "", "ws", "wz", "rs", "rz"]
    node = helper.make_node(
        "DynamicQuantizeLSTM", names, ["y", "h", "c"], domain="com.microsoft", hidden_size=H, direction=direction
    )
    bias = rng.normal(size=(d, 8 * H)).astype(np.float32)
    held: dict[str, Array] = {
        "w": wide,
        "r": narrow,
        "b": bias,
        "ws": scales[0],
        "wz": points[0],
        "rs": scales[1],
        "rz": points[1],
    }
    graph = helper.make_graph(
        [node],
        "quantized",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [T, B, F])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in "yhc"],
        [numpy_helper.from_array(array, name) for name, array in held.items()],
    )
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    x = rng.normal(size=(T, B, F)).astype(np.float32)
    assert operators(model) >= {"LSTM"}
    check(model, {"x": x}, rtol=0, atol=0.02)
