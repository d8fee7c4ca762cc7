"""Activations spelled out node by node, and running one on given numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lite_delegate.ir import Graph, Value
from lite_delegate.passes import GraphPass
from tests.passes.random_graphs import Builder, run

Formula = Callable[[Builder, Value], Any]
NUMBERS = np.linspace(-8, 8, 65, dtype=np.float32).reshape(5, 13)


def graph_of(formula: Formula, *, also_give: bool = False) -> Graph:
    """The graph of a formula of one input; ``also_give``: every value in it is an output too."""
    b = Builder()
    y = formula(b, b.input("x", NUMBERS.shape))
    inner = [v for n in b.nodes for v in n.outputs if v is not y] if also_give else []
    return b.graph(y, *inner)


def fused(formula: Formula, each: GraphPass) -> Graph:
    """The graph after a pass, which gives the same numbers (a few roundings apart) as before."""
    graph = graph_of(formula)
    made = each.call(graph).graph
    for new, old in zip(run(made, {"x": NUMBERS}), run(graph, {"x": NUMBERS}), strict=True):
        np.testing.assert_allclose(new, old, rtol=2e-5, atol=2e-6)
    assert each.call(made).graph is made
    return made


def only_activation(graph: Graph) -> str:
    """The activation of a graph of one node."""
    (node,) = graph.nodes
    assert node.op_type == "Activation"
    return str(node.primitive.attributes()["activation_type"])


def mul(b: Builder, *factors: Value) -> Value:
    product = factors[0]
    for each in factors[1:]:
        product = b.node("MulFusion", product, each, shapes=max(product.shape or (), each.shape or (), key=len))
    return product
