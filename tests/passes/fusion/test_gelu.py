"""GeluFusionPass: the forms that exporters write, and near misses. The formulas are of the activation's paper."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lite_delegate.ir import Value
from lite_delegate.passes.fusion import GeluFusionPass
from tests.passes.fusion.formulas import NUMBERS, Formula, fused, graph_of, mul, only_activation
from tests.passes.random_graphs import Builder, run

ROOT, TANH_ROOT = math.sqrt(2), math.sqrt(2 / math.pi)


def one_plus(b: Builder, x: Value, number: float = 1.0) -> Value:
    return b.node("AddFusion", x, b.const(number))


def erf(b: Builder, x: Value) -> Value:
    return b.node("Erf", b.node("DivFusion", x, b.const(ROOT)))


def tanh(b: Builder, x: Value) -> Value:
    return b.node("Activation", x, activation_type="TANH")


def cube(b: Builder, x: Value) -> Value:
    return b.node("AddFusion", x, mul(b, b.node("PowFusion", x, b.const(3)), b.const(0.044715)))


EXACT: dict[str, Formula] = {
    "product with x, then half": lambda b, x: mul(b, mul(b, x, one_plus(b, erf(b, x))), b.const(0.5)),
    "half of x first": lambda b, x: mul(b, mul(b, x, b.const(0.5)), one_plus(b, erf(b, x))),
    "half of the sum": lambda b, x: mul(b, x, mul(b, b.const(0.5), one_plus(b, erf(b, x)))),
    "divided by two": lambda b, x: b.node("DivFusion", mul(b, one_plus(b, erf(b, x)), x), b.const(2)),
    "times the root of a half": lambda b, x: mul(
        b, mul(b, x, one_plus(b, b.node("Erf", mul(b, x, b.const(1 / ROOT))))), b.const([0.5])
    ),
    "six digits": lambda b, x: mul(
        b, mul(b, x, one_plus(b, b.node("Erf", mul(b, x, b.const(0.707107))))), b.const(0.5)
    ),
}
BY_TANH: dict[str, Formula] = {
    "power": lambda b, x: mul(b, mul(b, x, b.const(0.5)), one_plus(b, tanh(b, mul(b, cube(b, x), b.const(TANH_ROOT))))),
    "products": lambda b, x: mul(
        b, b.const([0.5]), x,
        one_plus(b, tanh(b, mul(b, b.node("AddFusion", mul(b, mul(b, mul(b, x, x), x), b.const(0.044715)), x),
                                b.const(TANH_ROOT)))),
    ),
    "x taken out": lambda b, x: mul(
        b, b.node("MulFusion", x, b.const(0.5)),
        one_plus(b, tanh(b, mul(b, mul(b, x, b.const(0.7978845608)),
                                one_plus(b, mul(b, mul(b, x, b.const(0.044715)), x))))),
    ),
}  # fmt: skip
OTHER: dict[str, Formula] = {
    "a whole": lambda b, x: mul(b, mul(b, x, one_plus(b, erf(b, x))), b.const(1)),
    "another root": lambda b, x: mul(
        b, mul(b, x, one_plus(b, b.node("Erf", b.node("DivFusion", x, b.const(1.5))))), b.const(0.5)
    ),
    "plus two": lambda b, x: mul(b, mul(b, x, one_plus(b, erf(b, x), 2.0)), b.const(0.5)),
    "another x": lambda b, x: mul(b, mul(b, tanh(b, x), one_plus(b, erf(b, x))), b.const(0.5)),
    "another cubic": lambda b, x: mul(
        b, mul(b, x, b.const(0.5)),
        one_plus(b, tanh(b, mul(b, b.node("AddFusion", x, mul(b, b.node("PowFusion", x, b.const(3)), b.const(0.05))),
                                b.const(TANH_ROOT)))),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EXACT)
def test_1_exact(name: str) -> None:
    made = fused(EXACT[name], GeluFusionPass())
    assert only_activation(made) == "GELU"
    assert made.nodes[0].primitive.attributes()["approximate"] is False
    expected = [x / 2 * (1 + math.erf(x / math.sqrt(2))) for x in NUMBERS.reshape(-1).tolist()]
    np.testing.assert_allclose(run(made, {"x": NUMBERS})[0].reshape(-1), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", BY_TANH)
def test_2_by_tanh(name: str) -> None:
    made = fused(BY_TANH[name], GeluFusionPass())
    assert only_activation(made) == "GELU"
    assert made.nodes[0].primitive.attributes()["approximate"] is True


@pytest.mark.parametrize("name", OTHER)
def test_others_stay(name: str) -> None:
    graph = graph_of(OTHER[name])
    assert GeluFusionPass().call(graph).graph is graph


def test_inner_values_that_are_outputs_stay() -> None:
    graph = graph_of(EXACT["half of x first"], also_give=True)
    made = GeluFusionPass().call(graph).graph
    assert made.outputs == graph.outputs
    for new, old in zip(run(made), run(graph), strict=True):
        np.testing.assert_allclose(new, old, rtol=2e-5, atol=2e-6)
