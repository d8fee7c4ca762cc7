"""SwishFusionPass and HardSwishFusionPass: the forms that exporters write, and near misses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from lite_delegate.ir import Value
from lite_delegate.passes.fusion import HardSwishFusionPass, SwishFusionPass
from tests.passes.fusion.formulas import NUMBERS, Formula, fused, graph_of, mul, only_activation
from tests.passes.random_graphs import Builder, run


def sigmoid(b: Builder, x: Value) -> Any:
    return b.node("Activation", x, activation_type="SIGMOID")


def line(b: Builder, x: Value, **attributes: Any) -> Any:
    return b.node("AddFusion", x, b.const(3), **attributes)


def relu6(b: Builder, x: Value) -> Any:
    return b.node("Activation", line(b, x), activation_type="RELU6")


def unit(b: Builder, x: Value) -> Any:
    return b.node("Clip", b.node("AddFusion", mul(b, x, b.const(1 / 6)), b.const(0.5)), min=0.0, max=1.0)


SWISH: dict[str, Formula] = {
    "SWISH": lambda b, x: mul(b, x, sigmoid(b, x)),
    "SWISH ": lambda b, x: mul(b, sigmoid(b, x), x),
    "FAST_GELU": lambda b, x: mul(b, x, sigmoid(b, mul(b, x, b.const(1.702)))),
}
NO_SWISH: dict[str, Formula] = {
    "another x": lambda b, x: mul(b, x, sigmoid(b, sigmoid(b, x))),
    "activated": lambda b, x: b.node("MulFusion", x, sigmoid(b, x), activation_type="RELU"),
    "a number": lambda b, x: mul(b, mul(b, x, b.const(2)), sigmoid(b, x)),
    "another slope": lambda b, x: mul(b, x, sigmoid(b, mul(b, x, b.const(1.5)))),
    "a sum": lambda b, x: b.node("AddFusion", x, sigmoid(b, x)),
}
HARD: dict[str, Formula] = {
    "HSIGMOID": lambda b, x: b.node("DivFusion", relu6(b, x), b.const(6)),
    "HSIGMOID times": lambda b, x: mul(b, relu6(b, x), b.const(1 / 6)),
    "HSIGMOID fused": lambda b, x: mul(b, line(b, x, activation_type="RELU6"), b.const(1 / 6)),
    "HSIGMOID clip": lambda b, x: mul(b, b.node("Clip", line(b, x), b.const(0), b.const(6)), b.const(1 / 6)),
    "HSIGMOID unit": unit,
    "HSWISH": lambda b, x: b.node("DivFusion", mul(b, x, relu6(b, x)), b.const(6)),
    "HSWISH gate first": lambda b, x: mul(b, x, b.node("DivFusion", relu6(b, x), b.const(6))),
    "HSWISH unit": lambda b, x: mul(b, x, unit(b, x)),
    "HSWISH sixth of x": lambda b, x: mul(b, mul(b, x, b.const(1 / 6)), relu6(b, x)),
}
NOT_HARD: dict[str, Formula] = {
    "a fifth": lambda b, x: b.node("DivFusion", relu6(b, x), b.const(5)),
    "plus two": lambda b, x: b.node(
        "DivFusion", b.node("AddFusion", x, b.const(2), activation_type="RELU6"), b.const(6)
    ),
    "up to five": lambda b, x: mul(b, b.node("Clip", line(b, x), min=0.0, max=5.0), b.const(1 / 6)),
    "onnx's default slope": lambda b, x: b.node(
        "Clip", b.node("AddFusion", mul(b, x, b.const(0.2)), b.const(0.5)), min=0.0, max=1.0
    ),
    "another x": lambda b, x: b.node("DivFusion", mul(b, sigmoid(b, x), relu6(b, x)), b.const(6)),
}


@pytest.mark.parametrize("name", SWISH)
def test_swish(name: str) -> None:
    made = fused(SWISH[name], SwishFusionPass())
    assert only_activation(made) == name.strip()
    slope = 1.702 if name == "FAST_GELU" else 1.0
    expected = [x / (1 + math.exp(-slope * x)) for x in NUMBERS.reshape(-1).tolist()]
    np.testing.assert_allclose(run(made, {"x": NUMBERS})[0].reshape(-1), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", NO_SWISH)
def test_other_products_stay(name: str) -> None:
    graph = graph_of(NO_SWISH[name])
    assert SwishFusionPass().call(graph).graph is graph


@pytest.mark.parametrize("name", HARD)
def test_hard(name: str) -> None:
    made = fused(HARD[name], HardSwishFusionPass())
    kind = only_activation(made)
    assert kind == name.split(" ", maxsplit=1)[0]
    gates = [min(max(x + 3, 0), 6) / 6 for x in NUMBERS.reshape(-1).tolist()]
    factors = [1.0] * len(gates) if kind == "HSIGMOID" else NUMBERS.reshape(-1).tolist()
    expected = [g * f for g, f in zip(gates, factors, strict=True)]
    np.testing.assert_allclose(run(made, {"x": NUMBERS})[0].reshape(-1), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", NOT_HARD)
def test_other_clamps_stay(name: str) -> None:
    graph = graph_of(NOT_HARD[name])
    assert HardSwishFusionPass().call(graph).graph is graph
