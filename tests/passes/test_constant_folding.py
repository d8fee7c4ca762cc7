"""ConstantFoldingPass, case by case as its docstring numbers them."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate.ir import DataType, Graph, Node, Value, constant, make_primitive
from lite_delegate.ir.types.enums import QuantType
from lite_delegate.ir.value import QuantParam
from lite_delegate.passes.constants import constant_folding
from lite_delegate.passes.constants.constant_folding import ConstantFoldingPass
from tests.passes.random_graphs import Builder, run
from tests.present import data_of


def folded(graph: Graph) -> Graph:
    return ConstantFoldingPass().call(graph).graph


def filled(b: Builder, count: int) -> Value:
    """``count`` float32 numbers from a constant of 4 bytes."""
    shape = b.const([count], np.int32)
    made = b.node("ConstantOfShape", shape, shapes=(count,), dtype=43, value=(2.0,), data_type=43)
    return made


def test_1_chains_of_constants_become_one_constant() -> None:
    b = Builder()
    x = b.input("x", (2, 2))
    total = b.node("AddFusion", b.const([[1, 2], [3, 4]]), b.const(10))
    y = b.node("MulFusion", x, b.node("Transpose", total, b.const([1, 0], np.int32)))
    made = folded(b.graph(y))
    (node,) = made.nodes
    np.testing.assert_array_equal(data_of(node, 1), [[11, 13], [12, 14]])
    np.testing.assert_array_equal(run(made, {"x": np.ones((2, 2), np.float32)})[0], [[11, 13], [12, 14]])


def test_2_what_is_the_same_for_every_shape_is_folded_and_what_is_not_is_not() -> None:
    b = Builder()
    x = b.input("x", (2, 3))
    rank = b.node("Rank", x, shapes=(), dtype=34)
    shape = b.node("Shape", x, shapes=(2,), dtype=34)
    y = b.node("AddFusion", b.node("AddFusion", shape, rank), b.const([0, 0], np.int32))
    made = folded(b.graph(y))
    assert [n.op_type for n in made.nodes] == ["Shape", "AddFusion", "AddFusion"]
    assert data_of(made.nodes[1], 1) == 2


def test_3_the_last_size_that_is_folded_and_the_first_that_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constant_folding, "MAX_FOLDED_BYTES", 400)
    for count, expected in ((101, 1), (102, 2)):
        b = Builder()
        x = b.input("x", (count,))
        assert len(folded(b.graph(b.node("AddFusion", x, filled(b, count)))).nodes) == expected


def test_3_together_nodes_add_no_more_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constant_folding, "MAX_ADDED_BYTES", 800)
    for count, expected in ((101, 2), (102, 3)):
        b = Builder()
        x = b.input("x", (count,))
        y = b.node("AddFusion", b.node("AddFusion", x, filled(b, count)), filled(b, count))
        assert len(folded(b.graph(y)).nodes) == expected


def test_4_random_quantized_and_variable_nodes_stay() -> None:
    b = Builder()
    x = b.input("x", (2,))
    noise = b.node("RandomNormal", b.const([2], np.int32), shapes=(2,), dtype=43, mean=0.0, scale=1.0)
    doubled = b.node("AddFusion", b.const([1, 2]), b.const([3, 4]))
    b.nodes[-1].quant_type = QuantType.QUANT_ALL
    variable = constant("variable", np.zeros(2, np.float32))
    read = b.node("AddFusion", variable, b.const([1, 1]))
    b.nodes.append(Node("assign", make_primitive("Assign"), [variable, x], [Value("assigned", x.dtype, (2,))]))
    graph = b.graph(*(b.node("AddFusion", x, v) for v in (noise, doubled, read)))
    assert folded(graph) is graph


def test_5_an_output_of_the_graph_stays() -> None:
    b = Builder()
    x = b.input("x", (2,))
    total = b.node("AddFusion", b.const([1, 2]), b.const([3, 4]))
    graph = b.graph(total, b.node("AddFusion", x, total))
    assert folded(graph) is graph


def test_6_what_the_kernel_rejects_stays() -> None:
    b = Builder()
    x = b.input("x", (2,))
    wrong = b.node("AddFusion", b.const([1, 2, 3]), b.const([3, 4]), shapes=(2,))
    graph = b.graph(b.node("AddFusion", x, wrong))
    assert folded(graph) is graph


def test_several_outputs_are_folded_together() -> None:
    b = Builder()
    x = b.input("x", (1, 2))
    first, second = b.node("Split", b.const([[1, 2], [3, 4]]), shapes=[(1, 2), (1, 2)], axis=0, output_num=2)
    made = folded(b.graph(b.node("AddFusion", b.node("MulFusion", x, second), first)))
    np.testing.assert_array_equal(run(made, {"x": np.ones((1, 2), np.float32)})[0], [[4, 6]])
    assert len(made.nodes) == 2


def test_integers_that_are_folded_stand_for_what_they_stood_for() -> None:
    """An embedding that is quantized, read at positions that are known."""
    b = Builder()
    rows = b.node("Gather", b.const([[1, 2], [3, 4]], np.int8), b.const([1], np.int32), b.const(0, np.int32), dtype=32)
    rows.quant_params = (QuantParam(scale=0.5, zero_point=1),)
    y = b.node("AddFusion", b.input("x", (1, 2), DataType.INT8), rows, dtype=32)
    (node,) = folded(b.graph(y)).nodes
    read = node.inputs[1]
    assert read is not None
    assert read.is_constant
    assert read.quant_params == rows.quant_params
