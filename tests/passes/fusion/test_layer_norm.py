"""LayerNormFusionPass, case by case as its docstring numbers them. Expected values are worked out in float64 here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite_delegate.ir import Graph, Value
from lite_delegate.passes.fusion import LayerNormFusionPass
from tests.passes.random_graphs import Builder, random_inputs, run

SHAPE, EPSILON = (2, 3, 8), 1e-3


def mean(b: Builder, x: Value, axes: Any = (-1,), **attributes: Any) -> Any:
    rank = len(SHAPE)
    shape = tuple(1 if i - rank in axes or i in axes else d for i, d in enumerate(SHAPE))
    return b.node("ReduceFusion", x, b.const(axes, np.int32), shapes=shape, keep_dims=True, **attributes)


def square(b: Builder, d: Value, form: str, x: Value, m: Value) -> Any:
    match form:
        case "product":
            return b.node("MulFusion", d, d)
        case "square":
            return b.node("Square", d)
        case "squared difference":
            return b.node("SquaredDifference", x, m)
        case _:
            return b.node("PowFusion", d, b.const(2))


def divided(b: Builder, d: Value, v: Value, form: str) -> Any:
    match form:
        case "rsqrt":
            return b.node("MulFusion", b.node("Rsqrt", v), d, shapes=SHAPE)
        case "power":
            return b.node("DivFusion", d, b.node("PowFusion", v, b.const(0.5)))
        case "inverse power":
            return b.node("MulFusion", d, b.node("PowFusion", v, b.const(-0.5)))
        case _:
            return b.node("DivFusion", d, b.node("Sqrt", v))


def norm(b: Builder, x: Value, squared: str = "power", root: str = "sqrt", axes: Any = (-1,)) -> Any:
    m = mean(b, x, axes)
    d = b.node("SubFusion", x, m)
    variance = b.node("AddFusion", mean(b, square(b, d, squared, x, m), axes), b.const(EPSILON))
    return divided(b, d, variance, root)


def fused(graph: Graph) -> Graph:
    made = LayerNormFusionPass().call(graph).graph
    for new, old in zip(run(made), run(graph), strict=True):
        np.testing.assert_allclose(new, old, rtol=1e-4, atol=1e-5)
    assert LayerNormFusionPass().call(made).graph is made
    return made


@pytest.mark.parametrize("root", ["sqrt", "rsqrt", "power", "inverse power"])
@pytest.mark.parametrize("squared", ["power", "product", "square", "squared difference"])
def test_1_2_forms(squared: str, root: str) -> None:
    b = Builder()
    graph = b.graph(norm(b, b.input("x", SHAPE), squared, root))
    made = fused(graph)
    assert [n.op_type for n in made.nodes] == ["LayerNormFusion"]
    x = random_inputs(graph)["x"].astype(np.float64)
    centered = x - x.mean(-1, keepdims=True)
    expected = centered / np.sqrt((centered**2).mean(-1, keepdims=True) + EPSILON)
    np.testing.assert_allclose(run(made)[0], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("axes", "begin"), [((1, 2), 1), ((-1, -2), 1), ((0, 1, 2), 0)])
def test_1_several_axes(axes: tuple[int, ...], begin: int) -> None:
    b = Builder()
    (node,) = fused(b.graph(norm(b, b.input("x", SHAPE), axes=axes))).nodes
    assert node.primitive.attributes()["begin_norm_axis"] == begin


@pytest.mark.parametrize("axes", [(0, 2), (0, 1), (0,)])
def test_5_other_axes_are_moved_to_the_end_and_back(axes: tuple[int, ...]) -> None:
    b = Builder()
    made = fused(b.graph(norm(b, b.input("x", SHAPE), axes=axes)))
    assert [n.op_type for n in made.nodes] == ["Transpose", "LayerNormFusion", "Transpose"]
    assert made.nodes[1].primitive.attributes()["begin_norm_axis"] == 3 - len(axes)


@pytest.mark.parametrize("parameters", [False, True])
def test_5_all_axes_between_the_first_and_the_last_are_an_instance_norm(parameters: bool) -> None:
    b = Builder()
    y = norm(b, b.input("x", SHAPE), axes=(1,))
    if parameters:
        y = b.node("AddFusion", b.node("MulFusion", y, b.weights(8)), b.weights(1, 1, 8))
    (node,) = fused(b.graph(y)).nodes
    assert node.op_type == "InstanceNorm"
    assert [v.shape for v in node.inputs[1:] if v is not None] == [(8,), (8,)]


def test_5_parameters_of_normalized_axes_that_are_not_the_last_are_taken_along() -> None:
    b = Builder()
    y = b.node("MulFusion", norm(b, b.input("x", SHAPE), axes=(1,)), b.weights(3, 1))
    made = fused(b.graph(b.node("AddFusion", b.weights(1, 3, 1), y, shapes=SHAPE)))
    assert [n.op_type for n in made.nodes] == ["Transpose", "LayerNormFusion", "Transpose"]
    assert [v.shape for v in made.nodes[1].inputs[1:] if v is not None] == [(3,), (3,)]


@pytest.mark.parametrize("parameters", ["gamma beta", "gamma", "beta"])
@pytest.mark.parametrize("shape", [(8,), (1, 1, 8)])
def test_3_parameters(parameters: str, shape: tuple[int, ...]) -> None:
    b = Builder()
    y = norm(b, b.input("x", SHAPE))
    if "gamma" in parameters:
        y = b.node("MulFusion", b.weights(*shape), y, shapes=SHAPE)
    if "beta" in parameters:
        y = b.node("AddFusion", y, b.weights(*shape))
    (node,) = fused(b.graph(y)).nodes
    assert len(node.inputs) == 3


OTHERS = {
    "a parameter for each row": lambda b, y: b.node("MulFusion", y, b.weights(3, 1)),
    "a parameter for each element": lambda b, y: b.node("MulFusion", y, b.weights(3, 8)),
    "a value": lambda b, y: b.node("MulFusion", y, b.node("Activation", b.weights(8), activation_type="TANH")),
    "activated": lambda b, y: b.node("MulFusion", y, b.weights(8), activation_type="RELU"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_3_others_stay_behind_it(name: str) -> None:
    b = Builder()
    made = fused(b.graph(OTHERS[name](b, norm(b, b.input("x", SHAPE)))))
    (node,) = (n for n in made.nodes if n.op_type == "LayerNormFusion")
    assert len(node.inputs) == 1
    assert made.nodes[-1].op_type == "MulFusion"


def test_3_several_scales_are_one() -> None:
    b = Builder()
    once = b.node("MulFusion", norm(b, b.input("x", SHAPE)), b.weights(8))
    (node,) = fused(b.graph(b.node("MulFusion", b.node("MulFusion", once, b.weights(8)), b.const(2)))).nodes
    assert len(node.inputs) == 3


@pytest.mark.parametrize("wrong", ["another mean", "a sum", "a cube"])
def test_1_2_near_misses_stay(wrong: str) -> None:
    b = Builder()
    x = b.input("x", SHAPE)
    m = mean(b, x, mode="ReduceSum") if wrong == "a sum" else mean(b, x)
    d = b.node("SubFusion", b.node("Activation", x, activation_type="TANH") if wrong == "another mean" else x, m)
    power = b.node("PowFusion", d, b.const(3 if wrong == "a cube" else 2))
    even = b.node("Abs", power) if wrong == "a cube" else power
    root = b.node("Sqrt", b.node("AddFusion", mean(b, even), b.const(EPSILON)))
    graph = b.graph(b.node("DivFusion", d, root))
    assert fused(graph) is graph
