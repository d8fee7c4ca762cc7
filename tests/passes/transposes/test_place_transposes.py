"""PlaceTransposesPass, case by case as its docstring numbers them.

Every case is an operator between two convolutions that an importer of (N, C, H, W) models writes: with a transpose
before and behind each. Results are compared with those of the graph as it was, in which nothing was moved.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from lite_delegate import DataType, Model
from lite_delegate.ir import Graph, QuantParam, Value, verify
from lite_delegate.ir.types.enums import QuantType
from lite_delegate.passes.transposes import PlaceTransposesPass
from lite_delegate.passes.transposes.rebuild import rebuilt
from tests.passes.random_graphs import TO_NCHW, TO_NHWC, Builder, count, graphs, random_inputs, run

I32 = np.int32
ALL = (1 << 31) - 1
Case = Callable[[Builder, Value], Any]
"""From a value of shape (2, 3, 4, 5), which is (N, C, H, W), to another of rank 4."""


def between(case: Case) -> Graph:
    b = Builder()
    x = b.conv(b.input("x", (2, 3, 4, 5)), 3, 1)
    return b.graph(b.conv(case(b, x), 2, 1))


def placed(graph: Graph) -> Graph:
    made = PlaceTransposesPass().call(graph).graph
    verify(made)
    assert made.inputs == graph.inputs
    assert made.outputs == graph.outputs
    for new, old in zip(run(made), run(graph), strict=True):
        np.testing.assert_allclose(new, old, rtol=1e-5, atol=1e-6)
    return made


def reduced(b: Builder, x: Value, axes: Any, keep: bool) -> Value:
    shape = [1, 3, 1, 1] if keep else [3]
    made = b.node("ReduceFusion", x, b.const(axes, I32), shapes=tuple(shape), keep_dims=keep, mode="ReduceSum")
    return made


def gated(b: Builder, x: Value) -> Value:
    """Squeeze and excitation: a product with what comes from the means of each channel."""
    mean = b.node("ReduceFusion", x, b.const([2, -1], I32), shapes=(2, 3, 1, 1), keep_dims=True)
    gate = b.node("Activation", b.conv(mean, 3, 1), activation_type="SIGMOID")
    return b.node("MulFusion", x, gate)


def flat_and_back(b: Builder, x: Value, told: Any) -> Value:
    flat = b.node("Reshape", x, b.const(told, I32), shapes=(2, 3, 20))
    return b.node("Reshape", b.node("Softmax", flat, axis=(1,)), b.const([2, 3, 4, 5], I32), shapes=(2, 3, 4, 5))


INSIDE: dict[str, Case] = {
    "1 activation": lambda b, x: b.node("Activation", x, activation_type="TANH"),
    "1 residual": lambda b, x: b.node("AddFusion", x, b.conv(x, 3, 1)),
    "1 gate": gated,
    "1 choice": lambda b, x: b.node(
        "Where", b.node("Less", x, b.conv(x, 3, 1), dtype=DataType.BOOL), x, b.node("Activation", x)
    ),
    "2 choice by and of constants": lambda b, x: b.node(
        "Where", b.node("Less", x, b.weights(3, 1, 1), dtype=DataType.BOOL), b.const(2), b.weights(5), shapes=x.shape
    ),
    "2 constant for each channel": lambda b, x: b.node("MulFusion", x, b.weights(3, 1, 1)),
    "2 constant for each column": lambda b, x: b.node("AddFusion", x, b.weights(5)),
    "2 one number": lambda b, x: b.node("AddFusion", x, b.weights(1)),
    "2 scalar": lambda b, x: b.node("AddFusion", b.const(2), x, shapes=x.shape),
    "2 whole constant": lambda b, x: b.node("Maximum", x, b.weights(2, 3, 4, 5)),
    "3 concat": lambda b, x: b.node("Concat", x, b.conv(x, 2, 1), shapes=(2, 5, 4, 5), axis=1),
    "3 concat, negative axis": lambda b, x: b.node("Concat", x, b.conv(x, 2, 1), shapes=(2, 5, 4, 5), axis=-3),
    "3 concat with a constant": lambda b, x: b.node("Concat", x, b.weights(2, 1, 4, 5), shapes=(2, 4, 4, 5), axis=1),
    "3 split": lambda b, x: b.node(
        "AddFusion", *b.node("Split", x, shapes=[(2, 3, 2, 5)] * 2, axis=-2, output_num=2)
    ),
    "3 softmax": lambda b, x: b.node("Softmax", x, axis=(-3,)),
    "3 log softmax": lambda b, x: b.node("LogSoftmax", x, axis=1),
    "3 norm": lambda b, x: b.node("LpNormalization", x, axis=1, p=2),
    "3 gated halves": lambda b, x: b.node(
        "GLU", b.node("Concat", x, x, shapes=(2, 6, 4, 5), axis=1), shapes=(2, 3, 4, 5), axis=1
    ),
    "3 unstack": lambda b, x: b.node(
        "Unsqueeze", b.node("AddFusion", *b.node("Unstack", x, shapes=[(2, 4, 5)] * 3, axis=-3)[:2]),
        shapes=(2, 1, 4, 5), axis=(1,),
    ),
    "3 stack": lambda b, x: b.node(
        "ReduceFusion", b.node("Stack", x, b.conv(x, 3, 1), shapes=(2, 2, 3, 4, 5), axis=-4), b.const([1], I32),
        shapes=(2, 3, 4, 5), keep_dims=False,
    ),
    "3 stack with a constant": lambda b, x: b.node(
        "ReduceFusion", b.node("Stack", x, b.weights(2, 3, 4, 5), shapes=(2, 3, 4, 5, 2), axis=4), b.const([4], I32),
        shapes=(2, 3, 4, 5), keep_dims=False,
    ),
    "3 reduce, kept": lambda b, x: b.node("MulFusion", x, reduced(b, x, [0, 2, -1], keep=True)),
    "3 arg max": lambda b, x: b.node(
        "Cast", b.node("ArgMaxFusion", x, shapes=(2, 1, 4, 5), dtype=34, axis=1, keep_dims=True), b.const(43, I32),
        dtype=43,
    ),
    "3 squeeze and unsqueeze": lambda b, x: b.node(
        "Unsqueeze",
        b.node("Squeeze", b.node("ReduceFusion", x, b.const([1], I32), shapes=(2, 1, 4, 5), keep_dims=True),
               shapes=(2, 4, 5), axis=(-3,)),
        shapes=(2, 1, 4, 5), axis=(1,),
    ),
    "3 mean and expand dims": lambda b, x: b.node(
        "ExpandDims",
        b.node("ReduceFusion", x, b.const([-3], I32), shapes=(2, 4, 5), keep_dims=False), b.const(1, I32),
        shapes=(2, 1, 4, 5),
    ),
    "3 gather": lambda b, x: b.node("Gather", x, b.const([2, 0], I32), b.const(-3, I32), shapes=(2, 2, 4, 5)),
    "3 running sums": lambda b, x: b.node("CumSum", x, b.const(1, I32)),
    "3 slice": lambda b, x: b.node("SliceFusion", x, b.const([0, 1, 2, 0], I32), b.const([-1, 2, -1, 4], I32),
                                   shapes=(2, 2, 2, 4)),
    "3 strided slice": lambda b, x: b.node(
        "StridedSlice", x, *(b.const(n, I32) for n in ([1, 0], [ALL, ALL], [-3, 3], [1, 2])), shapes=(2, 2, 4, 3)
    ),
    "3 pad": lambda b, x: b.node("PadFusion", x, b.const([[0, 0], [1, 0], [2, 1], [0, 3]], I32), shapes=(2, 4, 7, 8)),
    "3 tile": lambda b, x: b.node("TileFusion", x, b.const([1, 2, 1, 3], I32), shapes=(2, 6, 4, 15)),
    "4 batch norm": lambda b, x: b.transpose(
        b.node("FusedBatchNorm", b.transpose(x, TO_NHWC), *(b.weights(3) for _ in range(3)), b.const([1, 2, 3])),
        TO_NCHW,
    ),
    "4 prelu": lambda b, x: b.transpose(b.node("PReLUFusion", b.transpose(x, TO_NHWC), b.weights(3)), TO_NCHW),
    "5 reshape to three and back": lambda b, x: flat_and_back(b, x, [2, 3, 20]),
    "5 reshape with copies": lambda b, x: flat_and_back(b, x, [0, 0, -1]),
    "5 reshape of channels": lambda b, x: b.node(
        "Reshape",
        b.node("Reshape", x, b.const([0, 3, 1, 4, 5], I32), shapes=(2, 3, 1, 4, 5)),
        b.const([0, 3, 4, -1], I32), shapes=(2, 3, 4, 5),
    ),
    "6 transposes after each other": lambda b, x: b.transpose(b.transpose(x, (2, 3, 0, 1)), (2, 3, 0, 1)),
}  # fmt: skip


@pytest.mark.parametrize("name", INSIDE)
def test_between_convolutions_no_transpose_is_left(name: str) -> None:
    graph = between(INSIDE[name])
    made = placed(graph)
    inside = [n for n in made.nodes if n.op_type == "Transpose"]
    assert [n.inputs[0] in graph.inputs or n.outputs[0] in graph.outputs for n in inside] == [True, True]


FIXED: dict[str, Case] = {
    "4 a parameter for each place of the last axis": lambda b, x: b.node("BiasAdd", x, b.weights(5)),
    "5 a reshape that tears axes apart": lambda b, x: b.node(
        "Reshape", x, b.const([2, 6, 2, 5], I32), shapes=(2, 6, 2, 5)
    ),
    "no contract": lambda b, x: b.node("LayerNormFusion", x, begin_norm_axis=3, begin_params_axis=3),
}  # fmt: skip


@pytest.mark.parametrize("name", FIXED)
def test_what_needs_its_axes_keeps_its_transposes(name: str) -> None:
    graph = between(FIXED[name])
    assert count(placed(graph), "Transpose") == count(graph, "Transpose")


def test_1_transposes_in_front_of_both_operands_move_behind() -> None:
    b = Builder()
    x, y = b.input("x", (2, 3, 4, 5)), b.input("y", (2, 3, 4, 5))
    both = [b.transpose(v, TO_NHWC) for v in (x, y)]
    assert count(placed(b.graph(b.node("AddFusion", *both))), "Transpose") == 1


def test_2_the_cheaper_operand_is_transposed() -> None:
    """(2, 3, 4, 5) is transposed; (2, 1, 1, 3) is there in the other order. One of 6 elements takes its place."""
    b = Builder()
    x, small = b.input("x", (2, 3, 4, 5)), b.input("small", (2, 1, 1, 3))
    y = b.node("MulFusion", b.transpose(x, TO_NHWC), small)
    made = placed(b.graph(b.transpose(y, TO_NCHW)))
    (only,) = (n for n in made.nodes if n.op_type == "Transpose")
    assert only.inputs[0] is small


def test_3_a_reduction_that_drops_axes_lets_nothing_behind_it() -> None:
    b = Builder()
    x = b.conv(b.input("x", (2, 3, 4, 5)), 3, 1)
    mean = b.node("ReduceFusion", x, b.const([2, 3], I32), shapes=(2, 3), keep_dims=False)
    assert count(placed(b.graph(b.node("MatMulFusion", mean, b.weights(3, 4), shapes=(2, 4)))), "Transpose") == 1


@pytest.mark.parametrize("told", [[2, 3], [0, 3], [2, -1], [0, -1], [-1, 3]])
def test_5_pooled_to_one_place_and_flattened(told: list[int]) -> None:
    b = Builder()
    pooled = b.node("AvgPoolFusion", b.transpose(b.conv(b.input("x", (2, 3, 4, 5)), 3, 1), TO_NHWC),
                    shapes=(2, 1, 1, 3), **{"global": True})  # fmt: skip
    flat = b.node("Reshape", b.transpose(pooled, TO_NCHW), b.const(told, I32), shapes=(2, 3))
    made = placed(b.graph(b.node("MatMulFusion", flat, b.weights(3, 4), shapes=(2, 4))))
    assert count(made, "Transpose") == 1


def test_5_flatten() -> None:
    b = Builder()
    pooled = b.node("AvgPoolFusion", b.transpose(b.input("x", (2, 3, 4, 5)), TO_NHWC), shapes=(2, 1, 1, 3),
                    **{"global": True})  # fmt: skip
    made = placed(b.graph(b.node("Flatten", b.transpose(pooled, TO_NCHW), shapes=(2, 3), axis=1)))
    assert count(made, "Transpose") == 1


@pytest.mark.parametrize(("told", "works"), [([0, -1], True), ([0, 3], True), ([2, 3], False)])
def test_5_a_batch_of_another_size_still_works_where_it_did(told: list[int], works: bool) -> None:
    b = Builder()
    pooled = b.node("AvgPoolFusion", b.transpose(b.input("x", (2, 3, 4, 5)), TO_NHWC), shapes=(2, 1, 1, 3),
                    **{"global": True})  # fmt: skip
    graph = b.graph(b.node("Reshape", b.transpose(pooled, TO_NCHW), b.const(told, I32), shapes=(2, 3)))
    made = placed(graph)
    x = np.random.default_rng(1).normal(size=(7, 3, 4, 5)).astype(np.float32)
    if works:
        np.testing.assert_array_equal(resized(made, x), resized(graph, x))
    else:
        for each in (graph, made):
            with pytest.raises(Exception, match="shape"):
                resized(each, x)


def resized(graph: Graph, x: Any) -> Any:
    model = Model()
    model.build_from_graph(graph)
    model.resize(model.get_inputs(), [list(x.shape)])
    return model.predict({"x": x})[0].data


@pytest.mark.parametrize("size", [(2, 3, 4, 5), (3, 3, 6, 7)])
def test_5_shapes_that_hold_for_any_size_do_so_afterwards(size: tuple[int, ...]) -> None:
    """(N, C, H, W) to (N, C, H * W) with 0 and -1, for the declared size and for another."""
    b = Builder()
    x = b.conv(b.input("x", (2, 3, 4, 5)), 3, 1)
    flat = b.node("Reshape", x, b.const([0, 0, -1], I32), shapes=(2, 3, 20))
    graph = b.graph(b.transpose(flat, (0, 2, 1)))
    made = placed(graph)
    assert count(made, "Transpose") == 1
    data = np.random.default_rng(1).normal(size=size).astype(np.float32)
    np.testing.assert_allclose(resized(made, data), resized(graph, data), rtol=1e-6)


def test_6_equal_transposes_become_one_and_empty_ones_none() -> None:
    b = Builder()
    x = b.input("x", (2, 3, 4))
    twice = [b.node("Activation", b.transpose(x, (1, 0, 2)), activation_type=kind) for kind in ("TANH", "ABS")]
    nothing = b.transpose(b.node("AddFusion", *twice), (0, 1, 2))
    tail = b.node("BiasAdd", nothing, b.weights(4))
    assert count(placed(b.graph(tail)), "Transpose") == 1


def test_7_values_in_the_middle_may_be_outputs() -> None:
    """The value in (N, C, H, W) is given out: its transpose stays, the path past it has none."""
    b = Builder()
    x = b.conv(b.input("x", (2, 3, 4, 5)), 3, 1)
    middle = b.node("Activation", x, activation_type="TANH")
    made = placed(b.graph(middle, b.conv(middle, 3, 1)))
    assert count(made, "Transpose") == 3


def test_7_a_value_and_its_transpose_may_both_be_outputs() -> None:
    b = Builder()
    x = b.input("x", (2, 3, 4, 5))
    y = b.node("Activation", x, activation_type="TANH")
    outputs = [y, b.transpose(y, TO_NHWC), b.transpose(b.transpose(y, TO_NHWC), TO_NCHW), b.transpose(y, TO_NHWC)]
    placed(b.graph(*outputs))


def test_7_an_input_that_is_only_transposed() -> None:
    b = Builder()
    graph = b.graph(b.transpose(b.input("x", (2, 3, 4, 5)), TO_NHWC))
    assert PlaceTransposesPass().call(graph).graph is graph


def quantized(params: int) -> Graph:
    """Two integer sums between a transpose and its inverse, with this many parameters on the first's result."""
    b = Builder()
    x = b.input("x", (1, 3, 4, 2), DataType.INT8)
    x.quant_params = (QuantParam(scale=0.5, inited=True),)
    inside = b.transpose(x, TO_NCHW)
    first = b.node("AddFusion", inside, inside)
    b.nodes[-1].quant_type = QuantType.QUANT_ALL
    y = b.node("AddFusion", first, inside)
    b.nodes[-1].quant_type = QuantType.QUANT_ALL
    out = b.transpose(y, TO_NHWC)
    for value in (inside, y, out):
        value.quant_params = x.quant_params
    first.quant_params = x.quant_params * params
    return b.graph(out)


def test_8_one_parameter_for_all_may_be_moved_and_keeps_its_place() -> None:
    graph = quantized(1)
    made = PlaceTransposesPass().call(graph).graph
    assert [n.op_type for n in made.nodes] == ["AddFusion", "AddFusion"]
    assert all(v.quant_params == graph.inputs[0].quant_params for n in made.nodes for v in n.outputs)
    x = {"x": np.arange(-12, 12).astype(np.int8).reshape(1, 3, 4, 2)}
    np.testing.assert_array_equal(run(made, x)[0], run(graph, x)[0])


def test_8_parameters_for_each_channel_are_not() -> None:
    graph = quantized(2)
    assert PlaceTransposesPass().call(graph).graph is graph


def test_8_nor_are_transposes_of_such_values_taken_away() -> None:
    b = Builder()
    x = b.input("x", (1, 3, 4, 2), DataType.INT8)
    out = b.node("Activation", b.transpose(b.transpose(x, TO_NCHW), TO_NHWC), activation_type="ABS")
    graph = b.graph(out)
    assert PlaceTransposesPass().call(graph).modified
    for node in b.nodes:
        node.outputs[0].quant_params = (QuantParam(), QuantParam())
    assert PlaceTransposesPass().call(graph).graph is graph


def test_a_transpose_that_one_search_leaves_behind_a_reshape_is_found_by_the_next() -> None:
    b = Builder()
    x = b.transpose(b.input("x", (1, 3, 4, 4)), (0, 2, 1, 3))
    y = b.node("Reshape", x, b.const([0, 1, 4, 3, 4], I32), shapes=(1, 1, 4, 3, 4))
    result = PlaceTransposesPass().call(b.graph(b.transpose(y, (0, 1, 3, 2, 4))))
    assert [node.op_type for node in result.graph.nodes] == ["Reshape"]
    assert not PlaceTransposesPass().call(result.graph).modified


@given(graphs(20))
@settings(max_examples=60)
def test_transposes_never_move_more_than_before(graph: Graph) -> None:
    result = PlaceTransposesPass().call(graph)
    assert (moved(result.graph) < moved(graph)) is result.modified


def moved(graph: Graph) -> tuple[int, int]:
    """The elements of what all transposes give, and how many there are."""
    shapes = [n.outputs[0].shape or () for n in graph.nodes if n.op_type == "Transpose"]
    return sum(int(np.prod(shape)) for shape in shapes), len(shapes)


def test_a_network_of_residual_blocks_keeps_the_transpose_of_its_input_alone() -> None:
    b = Builder()
    y = b.node("Activation", b.conv(b.input("x", (1, 3, 8, 8)), 4), activation_type="RELU")
    for _ in range(6):
        z = b.conv(b.node("Activation", b.conv(y, 4, 1), activation_type="RELU"), 4)
        y = b.node("Activation", b.node("AddFusion", gated_by(b, z), y), activation_type="RELU")
    pooled = b.node("ReduceFusion", y, b.const([2, 3], I32), shapes=(1, 4), keep_dims=False)
    graph = b.graph(b.node("MatMulFusion", pooled, b.weights(4, 10), shapes=(1, 10)))
    made = placed(graph)
    assert (count(graph, "Transpose"), count(made, "Transpose")) == (38, 1)
    (only,) = (n for n in made.nodes if n.op_type == "Transpose")
    assert only.inputs[0] is graph.inputs[0]


def gated_by(b: Builder, x: Value) -> Value:
    mean = b.node("ReduceFusion", x, b.const([2, 3], I32), shapes=(1, 4, 1, 1), keep_dims=True)
    made = b.node("MulFusion", x, b.node("Activation", b.conv(mean, 4, 1), activation_type="SIGMOID"))
    return made


def test_shuffled_channels_keep_one_transpose_for_each_shuffle() -> None:
    """(N, 4, H, W) as (N, 2, 2, H, W), the groups swapped: one transpose is the shuffle itself."""
    b = Builder()
    x = b.conv(b.input("x", (1, 3, 4, 4)), 4, 1)
    groups = b.node("Reshape", x, b.const([0, 2, 2, 4, 4], I32), shapes=(1, 2, 2, 4, 4))
    swapped = b.transpose(groups, (0, 2, 1, 3, 4))
    together = b.node("Reshape", swapped, b.const([0, 4, 4, 4], I32), shapes=(1, 4, 4, 4))
    graph = b.graph(b.conv(together, 2, 1))
    made = placed(graph)
    assert count(made, "Transpose") == 3
    assert random_inputs(graph).keys() == {"x"}


def test_a_graph_in_which_nothing_moves_any_more_is_not_rebuilt_again(monkeypatch: pytest.MonkeyPatch) -> None:
    counts: list[int] = []

    def counted(network: Any, labels: Any) -> Graph:
        made = rebuilt(network, labels)
        counts.append(count(made, "Transpose"))
        return made

    monkeypatch.setattr("lite_delegate.passes.transposes.place_transposes.rebuilt", counted)
    graph = between(lambda b, x: b.node("Activation", x, activation_type="RELU"))
    left = count(placed(graph), "Transpose")
    assert 0 < left < count(graph, "Transpose")
    assert counts == [left]
