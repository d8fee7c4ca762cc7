"""What operators of a TensorFlow Lite file are called: it has no names for them."""

from __future__ import annotations

import numpy as np

from lite_delegate.formats.tflite import read_tflite_buffer
from lite_delegate.ir import Graph, Source
from tests.formats.tflite.models import G, Op, T, const, floats, model_bytes, out
from tests.formats.tflite.test_graphs import function, loop

X = floats(1, 2, 3)


def names(graph: Graph) -> list[list[str]]:
    """For each node the full names of its sources."""
    return [[source.full_name for source in node.sources] for node in graph.nodes]


def test_an_operator_is_called_by_its_first_result() -> None:
    ops = [Op("ABS", [0], [1]), Op("NEG", [1], [2])]
    graph = read_tflite_buffer(model_bytes([G([X, out(shape=(2, 3)), out(shape=(2, 3))], ops, [0], [2])]))
    assert [node.sources for node in graph.nodes] == [
        (Source("t1", "ABS", (), (0,)),),
        (Source("t2", "NEG", (), (1,)),),
    ]
    assert graph.removed == ()


def test_where_results_share_a_name_type_and_position_say_which() -> None:
    ops = [Op("ABS", [0], [1]), Op("NEG", [1], [2])]
    content = model_bytes([G([X, out(shape=(2, 3)), out(shape=(2, 3))], ops, [0], [2])])
    graph = read_tflite_buffer(content.replace(b"t2", b"t1"))
    assert names(graph) == [["ABS-0"], ["NEG-1"]]


def test_an_operator_that_becomes_a_constant_is_removed() -> None:
    half = const(np.ones((2, 3), np.float16))
    tensors = [X, half, out(shape=(2, 3)), out(shape=(2, 3))]
    ops = [Op("DEQUANTIZE", [1], [2]), Op("ADD", [0, 2], [3], "AddOptions")]
    graph = read_tflite_buffer(model_bytes([G(tensors, ops, [0], [3])]))
    assert names(graph) == [["t3"]]
    assert graph.removed == (Source("t2", "DEQUANTIZE", (), (0,)),)


def test_operators_of_other_subgraphs_have_its_name_in_front() -> None:
    tensors = [T(np.array([True])), X, out(shape=(2, 3))]
    options = {"thenSubgraphIndex": 1, "elseSubgraphIndex": 2}
    main = G(tensors, [Op("IF", [0, 1], [2], "IfOptions", options)], [0, 1], [2])
    graph = read_tflite_buffer(model_bytes([main, function("ADD", 3.0, "then"), function("MUL", -2.0, "else")]))
    assert {name for listed in names(graph) for name in listed} == {"t2"}
    assert sorted(name for each in graph.subgraphs for (name,) in names(each)) == ["else/t2", "then/t2"]


def test_nodes_of_a_loop_are_the_loops_or_those_of_its_graphs() -> None:
    graph = read_tflite_buffer(loop(3))
    assert all(node.sources for each in graph.all_graphs() for node in each.nodes)
    found = {s.full_name for each in graph.all_graphs() for node in each.nodes for s in node.sources}
    assert {name.partition("/")[0] for name in found} == {"t2", "condition", "body"}
