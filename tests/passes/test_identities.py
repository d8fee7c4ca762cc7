"""IdentityRemovalPass, case by case as its docstring numbers them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lite_delegate import DataType, Model
from lite_delegate.ir import Graph, Value
from lite_delegate.ir.types.enums import QuantType
from lite_delegate.passes.identities import IdentityRemovalPass
from tests.passes.random_graphs import Builder, run

Case = Callable[[Builder, Value], Any]
I32, F32 = np.int32, np.float32
ALL = (1 << 31) - 1
SHAPE = (2, 3, 4)

IDENTITIES: dict[str, Case] = {
    "1 transpose": lambda b, x: b.node("Transpose", x, b.const([0, 1, -1], I32)),
    "2 unknown batch": lambda b, x: b.node("Reshape", x, b.const([0, 0, 0], I32)),
    "2 one dimension left open": lambda b, x: b.node("Reshape", x, b.const([0, -1, 0], I32)),
    "2 tile": lambda b, x: b.node("TileFusion", b.const(np.ones((2, 3, 4))), b.const([1, 1, 1], I32), shapes=x.shape),
    "3 cast": lambda b, x: b.node("Cast", x, b.const(43, I32)),
    "4 slice": lambda b, x: b.node("SliceFusion", x, b.const([0, 0, 0], I32), b.const([-1, -1, -1], I32)),
    "4 strided slice": lambda b, x: b.node("StridedSlice", x, *(b.const([n], I32) for n in (0, ALL, 1, 1))),
    "5 pad": lambda b, x: b.node("PadFusion", x, b.const(np.zeros((3, 2)), I32)),
    "6 dropout": lambda b, x: b.node("Dropout", x, shapes=[SHAPE] * 2)[0],
    "7 times one": lambda b, x: b.node("MulFusion", x, b.const(1)),
    "7 one times": lambda b, x: b.node("MulFusion", b.const([1]), x, shapes=x.shape),
    "7 over one": lambda b, x: b.node("DivFusion", x, b.const([[1]])),
    "7 minus zero": lambda b, x: b.node("SubFusion", x, b.const(0)),
    "7 plus negative zero": lambda b, x: b.node("AddFusion", x, b.const(-0.0)),
    "8 activation": lambda b, x: b.node("Activation", x, activation_type="NO_ACTIVATION"),
    "9 concat": lambda b, x: b.node("Concat", x, axis=1),
    "9 add_n": lambda b, x: b.node("AddN", x),
    "9 split": lambda b, x: b.node("Split", x, shapes=[SHAPE], axis=1, output_num=1)[0],
}
KEPT: dict[str, Case] = {
    "1 another order": lambda b, x: b.node("Transpose", x, b.const([0, 2, 1], I32), shapes=(2, 4, 3)),
    "2 a shape that holds for one size only": lambda b, x: b.node("Reshape", x, b.const([2, 3, 4], I32)),
    "2 two copied, one told": lambda b, x: b.node("Reshape", x, b.const([0, 0, 4], I32)),
    "2 tile twice": lambda b, x: b.node("TileFusion", x, b.const([2, 1, 1], I32), shapes=(4, 3, 4)),
    "3 to float16": lambda b, x: b.node("Cast", b.node("Cast", x, b.const(42, I32), dtype=DataType.FLOAT16),
                                        b.const(43, I32), dtype=DataType.FLOAT32),
    "4 from the second on": lambda b, x: b.node("SliceFusion", x, b.const([0, 1, 0], I32), b.const([-1] * 3, I32),
                                                shapes=(2, 2, 4)),
    "4 all but the last": lambda b, x: b.node("StridedSlice", x, *(b.const([n], I32) for n in (0, -1, 1, 1)),
                                              shapes=(2, 2, 4)),
    "4 every second": lambda b, x: b.node("StridedSlice", x, *(b.const([n], I32) for n in (0, ALL, 2, 2)),
                                          shapes=(2, 3, 2)),
    "5 a border": lambda b, x: b.node("PadFusion", x, b.const([0, 0, 0, 1, 0, 0], I32), shapes=(2, 4, 4)),
    "6 the mask is read": lambda b, x: b.node("AddFusion", *b.node("Dropout", x, shapes=[SHAPE] * 2)),
    "7 plus zero": lambda b, x: b.node("AddFusion", x, b.const(0)),
    "7 minus negative zero": lambda b, x: b.node("SubFusion", x, b.const(-0.0)),
    "7 zero minus": lambda b, x: b.node("SubFusion", b.const(0), x, shapes=x.shape),
    "7 one over": lambda b, x: b.node("DivFusion", b.const(1), x, shapes=x.shape),
    "7 activated": lambda b, x: b.node("MulFusion", x, b.const(1), activation_type="RELU"),
    "7 stretched": lambda b, x: b.node("MulFusion", x, b.const(np.ones((1, 1, 1, 1))), shapes=(1, 2, 3, 4)),
    "8 relu": lambda b, x: b.node("Activation", x, activation_type="RELU"),
}  # fmt: skip


def middle(case: Case) -> Graph:
    """The case between two operators that stay."""
    b = Builder()
    x = b.node("Activation", b.input("x", SHAPE), activation_type="TANH")
    y = case(b, x)
    return b.graph(b.node("Activation", y, activation_type="SIGMOID"))


@pytest.mark.parametrize("name", IDENTITIES)
def test_identities_go(name: str) -> None:
    graph = middle(IDENTITIES[name])
    made = IdentityRemovalPass().call(graph).graph
    assert [n.op_type for n in made.nodes] == ["Activation", "Activation"]
    for new, old in zip(run(made), run(graph), strict=True):
        np.testing.assert_array_equal(new, old)


@pytest.mark.parametrize("name", KEPT)
def test_others_stay(name: str) -> None:
    graph = middle(KEPT[name])
    result = IdentityRemovalPass().call(graph)
    assert not result.modified
    assert result.graph is graph
    run(graph)


def test_7_zero_of_whole_numbers() -> None:
    b = Builder()
    x = b.input("x", (2,), DataType.INT32)
    y = b.node("AddFusion", b.node("AddFusion", x, x), b.const(0, I32))
    made = IdentityRemovalPass().call(b.graph(b.node("AddFusion", y, x))).graph
    assert len(made.nodes) == 2


def test_2_a_reshape_that_is_one_for_the_declared_size_alone_works_for_others() -> None:
    """(2, 3, 4) told [-1, 3, 4] is no identity for (2, 6, 4)."""
    b = Builder()
    x = b.input("x", (2, 3, 4))
    graph = b.graph(b.node("Activation", b.node("Reshape", x, b.const([-1, 3, 4], I32)), activation_type="ABS"))
    model = Model()
    model.build_from_graph(IdentityRemovalPass().call(graph).graph)
    model.resize(model.get_inputs(), [[2, 6, 4]])
    assert model.predict({"x": np.ones((2, 6, 4), F32)})[0].shape == [4, 3, 4]


def test_10_the_output_keeps_its_name_and_the_node_before_gives_it() -> None:
    b = Builder()
    x = b.input("x", (2, 3))
    y = b.node("Cast", b.node("Activation", x, activation_type="TANH"), b.const(43, I32))
    graph = b.graph(y)
    made = IdentityRemovalPass().call(graph).graph
    assert made.outputs == [y]
    assert [n.outputs for n in made.nodes] == [[y]]
    np.testing.assert_array_equal(run(made)[0], run(graph)[0])


def test_10_inputs_constants_and_other_outputs_are_not_given_out() -> None:
    b = Builder()
    x = b.input("x", (2, 3))
    first = b.node("Activation", x, activation_type="TANH")
    outputs = [first] + [
        b.node("Cast", v, b.const(43, I32), shapes=(2, 3)) for v in (x, b.const(np.ones((2, 3))), first)
    ]
    graph = b.graph(*outputs)
    assert IdentityRemovalPass().call(graph).graph is graph


def test_quantized_nodes_stay() -> None:
    graph = middle(IDENTITIES["8 activation"])
    graph.nodes[1].quant_type = QuantType.QUANT_ALL
    assert IdentityRemovalPass().call(graph).graph is graph
