"""AffineFusionPass, case by case as its docstring numbers them. Expected values are worked out in float64 here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite_delegate.ir import Graph, Value
from lite_delegate.ir.types.enums import QuantType
from lite_delegate.passes.fusion import AffineFusionPass
from tests.passes.random_graphs import Builder, random_inputs, run

C = 4
"""Channels of what every product gives."""


def product(b: Builder, kind: str, x: Value, *, bias: bool) -> Value:
    extra = [b.weights(C)] if bias else []

    def spatial(op: str, weights: Value, group: int) -> Value:
        return b.node(op, x, weights, *extra, group=group, kernel_size=(3, 3), stride=(1, 1), pad_mode="SAME")

    match kind:
        case "conv":
            return spatial("Conv2DFusion", b.weights(C, 3, 3, 4), 1)
        case "depthwise":
            return spatial("Conv2DFusion", b.weights(C, 3, 3, 1), 4)
        case "deconv":
            return spatial("Conv2dTransposeFusion", b.weights(4, 3, 3, C), 1)
        case "grouped deconv":
            return spatial("Conv2dTransposeFusion", b.weights(4, 3, 3, C // 2), 2)
        case "full connection":
            return b.node("FullConnection", x, b.weights(C, 4), *extra, has_bias=bias, use_axis=True, axis=3)
        case "matmul":
            return b.node("MatMulFusion", x, b.weights(4, C), *extra)
        case "matmul transposed":
            return b.node("MatMulFusion", x, b.weights(C, 4), *extra, transpose_b=True)
        case _:
            return b.node("ScaleFusion", x, b.weights(C), *extra, axis=3)


PRODUCTS = ["conv", "depthwise", "deconv", "grouped deconv", "full connection", "matmul", "matmul transposed", "scale"]
AFTER = {
    "batch norm": lambda b, y: b.node("BatchNorm", y, b.weights(C), b.const([1, 2, 3, 4]), epsilon=1e-3),
    "fused batch norm": lambda b, y: b.node(
        "FusedBatchNorm", y, b.weights(C), b.weights(C), b.weights(C), b.const([1, 2, 3, 4]), epsilon=1e-3
    ),
    "scale": lambda b, y: b.node("ScaleFusion", y, b.weights(C), b.weights(C), axis=-1),
    "scale without offset": lambda b, y: b.node("ScaleFusion", y, b.weights(C), axis=3),
    "scale, activated": lambda b, y: b.node("ScaleFusion", y, b.weights(C), axis=-1, activation_type="RELU"),
    "times": lambda b, y: b.node("MulFusion", y, b.weights(C)),
    "times, from the left": lambda b, y: b.node("MulFusion", b.weights(1, 1, C), y, shapes=y.shape),
    "times a number": lambda b, y: b.node("MulFusion", y, b.const(3), activation_type="RELU6"),
    "over": lambda b, y: b.node("DivFusion", y, b.const([1, 2, -3, 4])),
    "plus": lambda b, y: b.node("AddFusion", y, b.weights(1, 1, 1, C)),
    "minus": lambda b, y: b.node("SubFusion", y, b.weights(C), activation_type="RELU"),
    "bias": lambda b, y: b.node("BiasAdd", y, b.weights(C)),
}


def fused(graph: Graph) -> Graph:
    made = AffineFusionPass().call(graph).graph
    for new, old in zip(run(made), run(graph), strict=True):
        np.testing.assert_allclose(new, old, rtol=1e-4, atol=2e-5)
    assert AffineFusionPass().call(made).graph is made
    return made


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("after", AFTER)
@pytest.mark.parametrize("kind", PRODUCTS)
def test_1_2_3_products_apply_what_follows(kind: str, after: str, bias: bool) -> None:
    b = Builder()
    y = product(b, kind, b.input("x", (1, 3, 3, 4)), bias=bias)
    graph = b.graph(AFTER[after](b, y))
    (node,) = fused(graph).nodes
    assert node.name == graph.nodes[0].name
    assert node.outputs == graph.outputs


def test_1_against_the_formula() -> None:
    b = Builder()
    x = b.input("x", (2, 4))
    w, scale, offset, mean = b.weights(4, C), b.weights(C), b.weights(C), b.weights(C)
    y = b.node("FusedBatchNorm", b.node("MatMulFusion", x, w), scale, offset, mean, b.const([1, 2, 3, 4]), epsilon=0.5)
    graph = b.graph(y)
    data = random_inputs(graph)["x"].astype(np.float64)
    w64, s, o, m = (np.asarray(v.data, np.float64) for v in (w, scale, offset, mean))
    expected = (data @ w64 - m) / np.sqrt(np.array([1, 2, 3, 4]) + 0.5) * s + o
    np.testing.assert_allclose(run(fused(graph))[0], expected, rtol=1e-5, atol=1e-6)


BETWEEN = {
    "squeezed": lambda b, y: b.node("Squeeze", y, shapes=(3, 3, C), axis=[0]),
    "reshaped": lambda b, y: b.node("Reshape", y, b.const([9, C], np.int32), shapes=(9, C)),
    "twice": lambda b, y: b.node(
        "Reshape",
        b.node("Squeeze", y, shapes=(3, 3, C), axis=[0]),
        b.const([9, C], np.int32),
        shapes=(9, C),
    ),
}


@pytest.mark.parametrize("after", sorted(AFTER.keys() - {"scale without offset", "times, from the left", "plus"}))
@pytest.mark.parametrize("between", BETWEEN)
@pytest.mark.parametrize("kind", ["conv", "depthwise", "deconv", "matmul"])
def test_3_moves_between_stay_behind(kind: str, between: str, after: str) -> None:
    b = Builder()
    moved = BETWEEN[between](b, product(b, kind, b.input("x", (1, 3, 3, 4)), bias=True))
    graph = b.graph(AFTER[after](b, moved))
    made = fused(graph)
    assert [node.op_type for node in made.nodes] == [node.op_type for node in graph.nodes[:-1]]
    assert made.outputs == graph.outputs


MOVED_ELSEWHERE = {
    "other channels": lambda b, y: b.node("Reshape", y, b.const([2, 6], np.int32), shapes=(2, 6)),
    "a transpose": lambda b, y: b.node("Transpose", y, b.const([1, 0], np.int32), shapes=(C, C)),
}


@pytest.mark.parametrize("name", MOVED_ELSEWHERE)
def test_3_channels_that_are_others_after_a_move_stay(name: str) -> None:
    b = Builder()
    rows = C if name == "a transpose" else 3
    moved = MOVED_ELSEWHERE[name](b, b.node("MatMulFusion", b.input("x", (rows, 4)), b.weights(4, C)))
    graph = b.graph(b.node("MulFusion", moved, b.weights(moved.shape[-1])))
    assert fused(graph) is graph


def test_3_moves_that_others_read_stay() -> None:
    b = Builder()
    moved = BETWEEN["squeezed"](b, product(b, "conv", b.input("x", (1, 3, 3, 4)), bias=True))
    graph = b.graph(AFTER["times"](b, moved), moved)
    assert fused(graph) is graph


def test_2_an_offset_without_a_bias_before_changes_no_bit() -> None:
    b = Builder()
    graph = b.graph(AFTER["plus"](b, product(b, "conv", b.input("x", (1, 3, 3, 4)), bias=False)))
    np.testing.assert_array_equal(run(fused(graph))[0], run(graph)[0])


def chain_of(change: Any) -> Graph:
    """A matrix product and its scale, changed so that they must stay apart."""
    b = Builder()
    x = b.input("x", (2, 4))
    first = b.node("MatMulFusion", x, b.weights(4, C))
    y = b.node("MulFusion", first, b.weights(C))
    return b.graph(y, *(change(b, x, first) or ()))


APART = {
    "others read the weight": lambda b, x, y: [b.node("MatMulFusion", x, b.nodes[0].inputs[1])],
    "others read the product": lambda b, x, y: [b.node("Activation", y, activation_type="TANH")],
    "the product is an output": lambda b, x, y: [y],
}


@pytest.mark.parametrize("name", APART)
def test_3_what_others_see_stays(name: str) -> None:
    graph = chain_of(APART[name])
    assert fused(graph) is graph


def test_3_an_offset_may_share_the_weight() -> None:
    b = Builder()
    x, w = b.input("x", (2, 4)), b.weights(4, C)
    sums = [b.node("BiasAdd", b.node("MatMulFusion", x, w), b.weights(C)) for _ in "ab"]
    assert len(fused(b.graph(*sums)).nodes) == 2


@pytest.mark.parametrize("shape", [(2, 1), (2, C)])
def test_3_numbers_for_each_row_stay(shape: tuple[int, ...]) -> None:
    b = Builder()
    graph = b.graph(
        b.node("MulFusion", b.node("MatMulFusion", b.input("x", (2, 4)), b.weights(4, C)), b.weights(*shape))
    )
    assert fused(graph) is graph


def test_3_an_activation_between_keeps_them_apart() -> None:
    b = Builder()
    first = b.node("MatMulFusion", b.input("x", (2, 4)), b.weights(4, C), activation_type="RELU")
    graph = b.graph(b.node("AddFusion", first, b.weights(C)))
    assert fused(graph) is graph


@pytest.mark.parametrize("after", ["batch norm", "fused batch norm"])
def test_4_a_normalization_that_stays_is_a_scale(after: str) -> None:
    b = Builder()
    (node,) = fused(b.graph(AFTER[after](b, b.input("x", (2, C))))).nodes
    assert (node.op_type, len(node.inputs)) == ("ScaleFusion", 3)


def test_4_not_when_its_other_outputs_are_read() -> None:
    b = Builder()
    x = b.input("x", (2, C))
    y, scale = b.node(
        "FusedBatchNorm", x, *(b.weights(C) for _ in range(3)), b.const([1, 2, 3, 4]), shapes=[(2, C), (C,)]
    )
    graph = b.graph(b.node("AddFusion", y, scale))
    assert fused(graph) is graph


@pytest.mark.parametrize("number", [np.inf, np.nan, 3e38])
def test_5_factors_that_leave_float32_stay(number: float) -> None:
    b = Builder()
    w = b.const(np.full((4, C), 100.0))
    graph = b.graph(b.node("MulFusion", b.node("MatMulFusion", b.input("x", (2, 4)), w), b.const([1, 2, 3, number])))
    assert AffineFusionPass().call(graph).graph is graph


def test_5_quantized_nodes_stay() -> None:
    for position in (0, 1):
        graph = chain_of(lambda b, x, y: None)
        graph.nodes[position].quant_type = QuantType.QUANT_WEIGHT
        assert AffineFusionPass().call(graph).graph is graph
