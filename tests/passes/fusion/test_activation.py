"""ActivationFusionPass, case by case as its docstring numbers them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite_delegate import DataType
from lite_delegate.ir import Graph, Value
from lite_delegate.ir.types.enums import QuantType
from lite_delegate.passes.fusion import ActivationFusionPass
from lite_delegate.passes.fusion.activation import FUSABLE
from tests.passes.random_graphs import Builder, run


def producer(b: Builder, op: str) -> Any:
    """A node of each operator that can apply an activation, from an input of shape (1, 4, 4, 2)."""
    x = b.input("x", (1, 4, 4, 2))
    match op:
        case "Conv2DFusion" | "Conv2dTransposeFusion":
            return b.node(op, x, b.weights(2, 1, 1, 2), group=1, pad_mode="SAME", kernel_size=(1, 1), stride=(1, 1))
        case "MaxPoolFusion" | "AvgPoolFusion":
            return b.node(op, x, kernel_size=(1, 1), strides=(1, 1))
        case "MatMulFusion":
            return b.node(op, x, b.weights(2, 2))
        case "FullConnection":
            return b.node(op, x, b.weights(3, 32), shapes=(1, 3), use_axis=True, axis=1)
        case "ScaleFusion":
            return b.node(op, x, b.weights(2), axis=-1)
        case _:
            return b.node(op, x, b.weights(2))


def clamped(b: Builder, x: Value, kind: str) -> Any:
    match kind:
        case "RELU" | "RELU6" | "RELU1" | "TANH":
            return b.node("Activation", x, activation_type=kind)
        case "clip":
            return b.node("Clip", x, min=0.0, max=6.0)
        case "clip by constants":
            return b.node("Clip", x, b.const(0), b.const(6))
        case "open clip":
            return b.node("Clip", x, min=0.0, max=float(np.finfo(np.float32).max))
        case _:
            return b.node("Clip", x, min=float(kind.split()[0]), max=float(kind.split()[1]))


def made_from(op: str, kind: str) -> tuple[Graph, Graph]:
    b = Builder()
    graph = b.graph(clamped(b, producer(b, op), kind))
    return graph, ActivationFusionPass().call(graph).graph


@pytest.mark.parametrize("kind", ["RELU", "RELU6"])
@pytest.mark.parametrize("op", sorted(FUSABLE))
def test_1_every_operator_that_can_takes_it(op: str, kind: str) -> None:
    graph, made = made_from(op, kind)
    (node,) = made.nodes
    assert (node.op_type, node.primitive.attributes()["activation_type"]) == (op, kind)
    np.testing.assert_array_equal(run(made)[0], run(graph)[0])


@pytest.mark.parametrize(("kind", "name"), [("clip", "RELU6"), ("clip by constants", "RELU6"), ("open clip", "RELU")])
def test_1_clips_are_activations(kind: str, name: str) -> None:
    graph, made = made_from("AddFusion", kind)
    (node,) = made.nodes
    assert node.primitive.attributes()["activation_type"] == name
    np.testing.assert_array_equal(run(made)[0], run(graph)[0])


@pytest.mark.parametrize("kind", ["RELU1", "TANH", "0 5", "-1 6", "0 6.5"])
def test_1_other_functions_stay(kind: str) -> None:
    graph, made = made_from("AddFusion", kind)
    assert made is graph


def test_1_not_where_others_see_what_comes_before() -> None:
    b = Builder()
    y = b.node("AddFusion", b.input("x", (2,)), b.const([1, 2]))
    for graph in (b.graph(clamped(b, y, "RELU"), y), b.graph(clamped(b, y, "RELU"), clamped(b, y, "TANH"))):
        assert ActivationFusionPass().call(graph).graph is graph


def test_1_through_operators_that_only_move_elements() -> None:
    b = Builder()
    y = b.transpose(producer(b, "Conv2DFusion"), (0, 3, 1, 2))
    flat = b.node("Reshape", y, b.const([1, 32], np.int32), shapes=(1, 32))
    graph = b.graph(clamped(b, flat, "RELU"))
    made = ActivationFusionPass().call(graph).graph
    assert [n.op_type for n in made.nodes] == ["Conv2DFusion", "Transpose", "Reshape"]
    assert made.nodes[0].primitive.attributes()["activation_type"] == "RELU"
    np.testing.assert_array_equal(run(made)[0], run(graph)[0])
    given_out = b.graph(*graph.outputs, y)
    assert ActivationFusionPass().call(given_out).graph is given_out


def test_2_one_activation_is_enough() -> None:
    b = Builder()
    y = b.node("AddFusion", b.input("x", (2,)), b.const([1, 2]), activation_type="RELU")
    graph = b.graph(clamped(b, y, "RELU6"))
    assert ActivationFusionPass().call(graph).graph is graph


def test_3_a_clip_that_nobody_takes_stays() -> None:
    b = Builder()
    graph = b.graph(clamped(b, b.input("x", (2,)), "clip by constants"))
    assert ActivationFusionPass().call(graph).graph is graph


def test_4_whole_numbers_and_quantized_nodes_stay() -> None:
    b = Builder()
    x = b.input("x", (2,), DataType.INT32)
    whole = b.graph(clamped(b, b.node("AddFusion", x, x), "RELU"))
    b = Builder()
    quantized = b.graph(clamped(b, b.node("AddFusion", b.input("x", (2,)), b.const([1, 2])), "RELU"))
    quantized.nodes[0].quant_type = QuantType.QUANT_ALL
    for graph in (whole, quantized):
        assert ActivationFusionPass().call(graph).graph is graph
