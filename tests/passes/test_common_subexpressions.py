"""CommonSubexpressionsPass, case by case as its docstring numbers them."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate.ir import Node, Value, constant, make_primitive
from lite_delegate.passes import common_subexpressions
from lite_delegate.passes.common_subexpressions import CommonSubexpressionsPass
from tests.passes.random_graphs import Array, Builder, run


def kept(*numbers: Array) -> int:
    """How many of the sums of an input with these constants stay."""
    b = Builder()
    x = b.input("x", (2,))
    sums = [b.node("AddFusion", x, constant("c", n)) for n in numbers]
    graph = b.graph(b.node("Concat", *sums, shapes=(2 * len(sums),)))
    made = CommonSubexpressionsPass().call(graph).graph
    np.testing.assert_array_equal(run(made)[0], run(graph)[0])
    return len(made.nodes) - 1


def test_1_equal_constants_count_as_one() -> None:
    one, same, other = np.array([1, 2], np.float32), np.array([1, 2], np.float32), np.array([1, 3], np.float32)
    assert kept(one, same, other) == 2
    assert kept(np.array([0], np.float32), np.array([-0.0], np.float32)) == 2
    assert kept(one, one.reshape(1, 2)[0]) == 1


def test_1_the_last_size_that_is_compared_and_the_first_that_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    one = np.array([1, 2], np.float32)
    monkeypatch.setattr(common_subexpressions, "MAX_COMPARED_BYTES", 8)
    assert kept(one, one.copy()) == 1
    monkeypatch.setattr(common_subexpressions, "MAX_COMPARED_BYTES", 7)
    assert kept(one, one.copy()) == 2
    assert kept(one, one) == 1


def test_2_what_follows_is_compared_anew() -> None:
    b = Builder()
    x = b.input("x", (2,))
    arms = [b.node("Activation", b.node("Activation", x, activation_type="TANH"), activation_type="ABS") for _ in "ab"]
    graph = b.graph(b.node("AddFusion", *arms))
    made = CommonSubexpressionsPass().call(graph).graph
    assert len(made.nodes) == 3
    np.testing.assert_array_equal(run(made)[0], run(graph)[0])


def test_other_attributes_stay_apart() -> None:
    b = Builder()
    x = b.input("x", (2,))
    arms = [b.node("Elu", x, alpha=alpha) for alpha in (1.0, 2.0)]
    graph = b.graph(b.node("AddFusion", *arms))
    assert CommonSubexpressionsPass().call(graph).graph is graph


def test_3_random_nodes_and_readers_of_variables_stay() -> None:
    b = Builder()
    x = b.input("x", (2,))
    shape, variable = b.const([2], np.int32), constant("variable", np.zeros(2, np.float32))
    noise = [b.node("RandomNormal", shape, shapes=(2,), dtype=43, scale=1.0) for _ in "ab"]
    read = [b.node("AddFusion", variable, x) for _ in "ab"]
    b.nodes.append(Node("assign", make_primitive("Assign"), [variable, x], [Value("assigned", x.dtype, (2,))]))
    graph = b.graph(b.node("AddN", *noise, *read))
    assert CommonSubexpressionsPass().call(graph).graph is graph


def test_4_outputs_of_the_graph_stay() -> None:
    b = Builder()
    x = b.input("x", (2,))
    graph = b.graph(*(b.node("Activation", x, activation_type="TANH") for _ in "ab"))
    assert CommonSubexpressionsPass().call(graph).graph is graph
