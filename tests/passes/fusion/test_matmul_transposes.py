"""MatMulTransposesPass, case by case as its docstring numbers them."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate import DataType
from lite_delegate.ir import Graph, Value
from lite_delegate.passes.fusion import MatMulTransposesPass
from tests.passes.random_graphs import Builder, count, random_inputs, run

SWAP = (0, 2, 1)


def made_from(graph: Graph) -> Graph:
    return MatMulTransposesPass().call(graph).graph


def product(b: Builder, x: Value, y: Value, **attributes: bool) -> Value:
    made = b.node("MatMulFusion", x, y, shapes=(2, 4, 5), **attributes)
    return made


def flags(graph: Graph) -> tuple[bool, bool]:
    attributes = graph.nodes[-1].primitive.attributes()
    return attributes["transpose_a"], attributes["transpose_b"]


@pytest.mark.parametrize("already", [False, True])
@pytest.mark.parametrize("swaps", [1, 2, 3])
def test_1_several_behind_each_other(swaps: int, already: bool) -> None:
    b = Builder()
    x = b.input("x", (2, 4, 4))
    y = x
    for _ in range(swaps):
        y = b.transpose(y, SWAP)
    graph = b.graph(b.node("MatMulFusion", x, y, transpose_b=already))
    made = made_from(graph)
    assert len(made.nodes) == 1
    assert flags(made) == (False, (swaps % 2 == 1) != already)
    np.testing.assert_array_equal(run(made)[0], run(graph)[0])
    assert made_from(made) is made


def test_1_both_operands_against_a_sum_written_out() -> None:
    b = Builder()
    x, y = b.input("x", (2, 3, 4)), b.input("y", (2, 5, 3))
    made = made_from(b.graph(product(b, b.transpose(x, SWAP), b.transpose(y, SWAP))))
    assert len(made.nodes) == 1
    assert flags(made) == (True, True)
    given = random_inputs(made)
    np.testing.assert_allclose(run(made)[0], np.einsum("bki,bjk->bij", given["x"], given["y"]), rtol=1e-4, atol=1e-5)


def test_1_the_bias_stays() -> None:
    b = Builder()
    x, y = b.input("x", (2, 4, 3)), b.input("y", (2, 5, 3))
    graph = b.graph(b.node("MatMulFusion", x, b.transpose(y, SWAP), b.weights(5), shapes=(2, 4, 5)))
    made = made_from(graph)
    assert len(made.nodes) == 1
    np.testing.assert_array_equal(run(made)[0], run(graph)[0])


def test_2_one_that_is_read_elsewhere_stays_for_that() -> None:
    b = Builder()
    x, y = b.input("x", (2, 4, 3)), b.input("y", (2, 5, 3))
    turned = b.transpose(y, SWAP)
    graph = b.graph(product(b, x, turned), b.node("Abs", turned))
    made = made_from(graph)
    assert count(made, "Transpose") == 1
    (matmul,) = (n for n in made.nodes if n.op_type == "MatMulFusion")
    assert matmul.inputs[:2] == [x, y]
    for found, wanted in zip(run(made), run(graph), strict=True):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("order", [(1, 0, 2), (2, 1, 0), (0, 1, 2), (1, 2, 0)])
def test_3_other_permutations_stay(order: tuple[int, ...]) -> None:
    b = Builder()
    x, y = b.input("x", (3, 3, 3)), b.input("y", (3, 3, 3))
    graph = b.graph(b.node("MatMulFusion", x, b.transpose(y, order)))
    assert made_from(graph) is graph


def test_3_one_that_is_no_constant_stays() -> None:
    b = Builder()
    x, y, order = b.input("x", (2, 4, 3)), b.input("y", (2, 5, 3)), b.input("order", (3,), DataType.INT32)
    graph = b.graph(product(b, x, b.node("Transpose", y, order, shapes=(2, 3, 5))))
    assert made_from(graph) is graph
