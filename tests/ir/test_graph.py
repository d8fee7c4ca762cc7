"""Graphs: order, verification, comparison, and how values, nodes and types present themselves."""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate import DataType, GraphError
from lite_delegate.ir import (
    Graph,
    ModelInfo,
    Node,
    PackedWeights,
    QuantParam,
    Value,
    constant,
    difference,
    from_numpy,
    make_primitive,
    to_numpy,
    topological_order,
    verify,
)
from lite_delegate.ir.types.enums import QuantType, WeightQuantCompressType
from tests.runtime.graphs import binary, chain, unary, value


def two_branches() -> Graph:
    x = value("x")
    a, b = unary("a", x), unary("b", x, "TANH")
    end = binary("end", a.outputs[0], b.outputs[0])
    return Graph("main", [x], list(end.outputs), [a, b, end])


def test_an_executable_order_is_returned_unchanged() -> None:
    graph = two_branches()
    assert topological_order(graph) == graph.nodes


@given(st.permutations(range(8)))
def test_any_file_order_becomes_executable(order: list[int]) -> None:
    graph = chain(8)
    nodes = list(graph.nodes)
    graph.nodes = [nodes[i] for i in order]
    assert topological_order(graph) == nodes


def test_of_nodes_that_could_come_next_the_first_in_the_file_comes_first() -> None:
    graph = two_branches()
    a, b, end = graph.nodes
    graph.nodes = [end, b, a]
    assert topological_order(graph) == [b, a, end]


def cyclic() -> Graph:
    x = value("x")
    a, b = unary("a", x), unary("b", x)
    a.inputs, b.inputs = list(b.outputs), list(a.outputs)
    return Graph("main", [x], list(b.outputs), [a, b])


def test_a_cycle_names_its_nodes() -> None:
    with pytest.raises(GraphError, match=r"nodes form a cycle: ('a' -> 'b'|'b' -> 'a')"):
        topological_order(cyclic())
    with pytest.raises(GraphError, match="cycle"):
        verify(cyclic())


def broken(change: Callable[[Graph], object]) -> Graph:
    graph = two_branches()
    change(graph)
    return graph


def partial(index: int) -> Callable[[Graph], None]:
    def change(graph: Graph) -> None:
        graph.nodes.append(Node("p", make_primitive("PartialFusion", sub_graph_index=index), [], [value("handle")]))

    return change


def set_shape(shape: tuple[int, ...]) -> Callable[[Graph], None]:
    return lambda g: setattr(g.inputs[0], "shape", shape)


def with_data(data: np.ndarray) -> Callable[[Graph], None]:
    return lambda g: g.nodes[2].inputs.append(Value("w", DataType.FLOAT32, (2,), data=data))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_shape((-2,)), r"value 'x': expected at most 8 dimensions, each >= -1, got \(-2,\)"),
        (set_shape((1,) * 9), "value 'x': expected at most 8 dimensions"),
        (with_data(np.zeros(3, np.float32)), r"value 'w': constant data must have shape \(2,\), got \(3,\)"),
        (with_data(np.zeros(2, np.int32)), "value 'w': constant data must be FLOAT32, got int32"),
        (lambda g: g.inputs.append(g.inputs[0]), "a value is listed twice among the inputs"),
        (lambda g: g.nodes[1].outputs.append(g.nodes[0].outputs[0]), "output 'a:0' is given by node 'a' already"),
        (lambda g: g.nodes[1].outputs.append(g.inputs[0]), "output 'x' is given by the graph's inputs already"),
        (lambda g: g.nodes[1].outputs.append(constant("c", np.zeros(1))), "output 'c' must not be a constant"),
        (lambda g: g.nodes[2].inputs.append(value("lost")), r"node 'end' \(AddFusion\): input 2 'lost' must be"),
        (lambda g: g.outputs.append(value("lost")), "output 'lost' must come from a node, an input or a constant"),
        (partial(0), "sub_graph_index must be 0..0 and not the node's own graph 0, got 0"),
        (partial(1), "sub_graph_index must be 0..0"),
        (lambda g: g.subgraphs.append(Graph("s", [], [], [], subgraphs=[chain(1)])), "must have no subgraphs, found 1"),
        (lambda g: g.subgraphs.append(cyclic()), "cycle"),
    ],
)
def test_verify_names_what_is_broken(change: Callable[[Graph], object], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        verify(broken(change))


def test_verify_accepts_what_is_legal() -> None:
    graph = two_branches()
    graph.subgraphs.append(chain(2))
    partial(1)(graph)
    graph.nodes[2].inputs.append(None)
    graph.outputs.append(graph.inputs[0])
    graph.nodes[0].inputs.append(Value("parameter", DataType.FLOAT32, None, is_parameter=True))
    verify(graph)


CHANGES: list[Callable[[Graph], object]] = [
    lambda g: setattr(g, "name", "other"),
    lambda g: setattr(g, "info", ModelInfo(version="2")),
    lambda g: g.subgraphs.append(chain(1)),
    lambda g: g.nodes.pop(1),
    lambda g: setattr(g.nodes[0], "name", "other"),
    lambda g: setattr(g.nodes[0], "quant_type", QuantType.QUANT_ALL),
    lambda g: setattr(g.nodes[0], "device_type", 3),
    lambda g: setattr(g.nodes[0], "primitive", make_primitive("Activation", activation_type="TANH")),
    lambda g: setattr(g.nodes[0], "primitive", make_primitive("Abs")),
    lambda g: g.nodes[2].inputs.append(None),
    lambda g: g.nodes[2].inputs.reverse(),
    lambda g: setattr(g.nodes[3], "inputs", [g.nodes[2].outputs[0], None]),
    lambda g: setattr(g.inputs[0], "name", "other"),
    lambda g: setattr(g.inputs[0], "dtype", DataType.FLOAT16),
    lambda g: setattr(g.inputs[0], "shape", (2, -1)),
    lambda g: setattr(g.inputs[0], "quant_params", (QuantParam(scale=0.5),)),
    lambda g: setattr(g.inputs[0], "quant_clusters", (0.5,)),
    lambda g: setattr(g.inputs[0], "is_parameter", True),
    lambda g: setattr(g.nodes[3].inputs[1], "data", np.array([1, 3], np.float32)),
    lambda g: setattr(g.nodes[3].inputs[1], "data", np.array([[1, np.nan]], np.float32)),
    lambda g: setattr(g.nodes[3].inputs[1], "packed", PackedWeights(np.ones(2, np.uint8), WeightQuantCompressType.FSE)),
    lambda g: g.outputs.append(g.inputs[0]),
]


def with_constant() -> Graph:
    graph = two_branches()
    weights = constant("w", np.array([1, np.nan], np.float32))
    graph.nodes.append(binary("last", graph.nodes[2].outputs[0], weights))
    graph.outputs = list(graph.nodes[3].outputs)
    return graph


def test_equal_graphs_have_no_difference() -> None:
    assert difference(with_constant(), with_constant()) is None
    graph = with_constant()
    assert difference(graph, copy.deepcopy(graph)) is None


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_a_difference_both_ways(change: Callable[[Graph], object]) -> None:
    changed = with_constant()
    change(changed)
    assert difference(with_constant(), changed) is not None
    assert difference(changed, with_constant()) is not None


def test_values_with_the_same_name_are_still_different_values() -> None:
    def graph(*, shared: bool) -> Graph:
        a = constant("c", np.ones(1, np.float32))
        b = a if shared else constant("c", np.ones(1, np.float32))
        node = binary("n", a, b)
        return Graph("main", [], list(node.outputs), [node])

    assert difference(graph(shared=True), graph(shared=False)) is not None
    assert difference(graph(shared=False), graph(shared=True)) is not None


def test_subgraphs_are_found_by_their_index() -> None:
    graph = two_branches()
    graph.subgraphs.append(chain(1))
    assert graph.subgraph(0) is graph
    assert graph.subgraph(1) is graph.subgraphs[0]
    with pytest.raises(IndexError, match="the model has 2 graphs"):
        graph.subgraph(2)


def test_values_producers_and_consumers() -> None:
    graph = two_branches()
    a, b, end = graph.nodes
    assert [v.name for v in graph.values()] == ["x", "a:0", "b:0", "end:0"]
    assert graph.producers()[a.outputs[0]] is a
    assert graph.consumers()[graph.inputs[0]] == [a, b]
    end.inputs = [a.outputs[0], a.outputs[0]]
    assert graph.consumers()[a.outputs[0]] == [end]


def test_constants_cannot_be_written() -> None:
    data = np.ones(2, np.float32)
    held = constant("c", data).data
    assert held is not None
    with pytest.raises(ValueError, match="read-only"):
        held[0] = 2
    data[0] = 3


def test_text_of_values_and_nodes() -> None:
    graph = with_constant()
    assert repr(graph.inputs[0]) == "<Value 'x' FLOAT32 [2,3]>"
    assert repr(graph.nodes[3].inputs[1]) == "<Value 'w' FLOAT32 [2], constant>"
    assert repr(graph.nodes[0]) == "<Node 'a' (Activation)>"


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float64"])
def test_data_types_and_numpy_agree(dtype: str) -> None:
    assert to_numpy(from_numpy(dtype)) == np.dtype(dtype)
    assert from_numpy(np.dtype(dtype).newbyteorder(">")) == from_numpy(dtype)


def test_types_without_a_counterpart() -> None:
    with pytest.raises(ValueError, match="BFLOAT16 has no numpy counterpart"):
        to_numpy(DataType.BFLOAT16)
    with pytest.raises(ValueError, match="complex64 has no tensor data type; expected one of bool"):
        from_numpy(np.complex64)
