"""The list of passes and its levels."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate.errors import InputError
from lite_delegate.ir import Graph
from lite_delegate.passes import check_order
from lite_delegate.passes.optimize import GENERAL, LEVELS, optimize
from tests.passes.random_graphs import Builder, run


def network() -> Graph:
    """A convolution in (N, C, H, W), normalized, clamped and doubled by a constant that must be worked out."""
    b = Builder()
    x = b.conv(b.input("x", (1, 3, 4, 4)), 4)
    inside = b.transpose(x, (0, 2, 3, 1))
    y = b.node("FusedBatchNorm", inside, *(b.weights(4) for _ in range(3)), b.const([1, 2, 3, 4]))
    clamp = b.node("Activation", b.transpose(y, (0, 3, 1, 2)), activation_type="RELU")
    two = b.node("AddFusion", b.const(1), b.const(1))
    return b.graph(b.conv(b.node("MulFusion", clamp, two), 2))


def test_general_leaves_what_must_be_computed() -> None:
    graph = network()
    result = optimize(graph)
    assert result.modified
    assert [n.op_type for n in result.graph.nodes] == [
        "Transpose", "Conv2DFusion", "MulFusion", "Conv2DFusion", "Transpose",
    ]  # fmt: skip
    np.testing.assert_allclose(run(result.graph)[0], run(graph)[0], rtol=1e-4, atol=1e-5)


def test_none_leaves_the_graph() -> None:
    graph = network()
    assert optimize(graph, "none").graph is graph


def test_another_level_is_rejected() -> None:
    with pytest.raises(InputError, match="one of none, general, got 'most'"):
        optimize(network(), "most")


def test_the_order_is_allowed_and_every_pass_is_named_before_it_runs() -> None:
    check_order(GENERAL)
    named: list[str] = []
    optimize(network(), "general", named.append)
    assert named == [each.name for each in LEVELS["general"]]


def test_subgraphs_are_optimized_too() -> None:
    main, inner = network(), network()
    inner.name = "inner"
    main.subgraphs.append(inner)
    made = optimize(main).graph
    assert [len(g.nodes) for g in made.all_graphs()] == [5, 5]
