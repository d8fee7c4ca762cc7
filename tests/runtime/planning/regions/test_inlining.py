"""Calls of subgraphs that call nothing: their nodes stand in the place of the call."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate import Model
from lite_delegate.ir import DataType, Graph, Node, Value, make_primitive
from lite_delegate.runtime.planning.regions import inlining
from lite_delegate.runtime.planning.regions.inlining import MOST_NODES, inlined

X = np.arange(3, dtype=np.float32)


def value(name: str) -> Value:
    return Value(name, DataType.FLOAT32, (3,))


def calls(index: int, given: Value, result: Value) -> list[Node]:
    handle = Value(f"{result.name}/handle", DataType.INT32, ())
    bind = Node(f"{result.name}/bind", make_primitive("PartialFusion", sub_graph_index=index), [given], [handle])
    return [bind, Node(result.name, make_primitive("Call"), [handle], [result])]


def doubling(levels: int) -> Graph:
    """Each subgraph calls the one before twice; the first adds its input to itself."""
    x, y = value("x"), value("y")
    subgraphs = [Graph("add", [x], [y], [Node("add", make_primitive("AddFusion"), [x, x], [y])])]
    for level in range(1, levels):
        x, between, y = value("x"), value("between"), value("y")
        nodes = [*calls(level, x, between), *calls(level, between, y)]
        subgraphs.append(Graph(f"level{level}", [x], [y], nodes))
    x, y = value("x"), value("y")
    return Graph("main", [x], [y], calls(levels, x, y), subgraphs)


def predicted(graph: Graph) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    model = Model()
    model.build_from_graph(graph)
    return np.asarray(model.predict([X])[0].data)


@pytest.mark.parametrize("levels", [1, 3])
def test_nodes_take_the_place_of_calls(levels: int) -> None:
    graph = doubling(levels)
    flat = inlined(graph)
    assert [node.op_type for node in flat.nodes] == ["AddFusion"] * 2 ** (levels - 1)
    np.testing.assert_array_equal(predicted(flat), X * 2**2 ** (levels - 1))
    np.testing.assert_array_equal(predicted(graph), predicted(flat))


def test_what_gives_its_input_or_one_result_twice() -> None:
    x, y = value("x"), value("y")
    both = Graph("both", [x], [x, y, y], [Node("neg", make_primitive("Neg"), [x], [y])])
    x, results = value("x"), [value(name) for name in "abc"]
    nodes = calls(1, x, results[0])
    nodes[1].outputs.extend(results[1:])
    graph = Graph("main", [x], results, nodes, [both])
    flat = inlined(graph)
    assert not any(node.op_type == "Call" for node in flat.nodes)
    model = Model()
    model.build_from_graph(flat)
    for found, expected in zip(model.predict([X]), (X, -X, -X), strict=True):
        np.testing.assert_array_equal(found.data, expected)


def test_what_would_grow_too_large_keeps_calls() -> None:
    flat = inlined(doubling(40))
    assert sum(len(each.nodes) for each in flat.all_graphs()) <= MOST_NODES


def test_what_would_become_too_large_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many calls as nodes in what they call: their product is told before the first one is copied."""
    length, values = 200, [value(f"v{i}") for i in range(201)]
    called = Graph(
        "called",
        values[:1],
        values[-1:],
        [Node(f"n{i}", make_primitive("Neg"), [values[i]], [values[i + 1]]) for i in range(length)],
    )
    between = [value(f"b{i}") for i in range(length + 1)]
    nodes = [node for i in range(length) for node in calls(1, between[i], between[i + 1])]
    graph = Graph("main", between[:1], between[-1:], nodes, [called])
    copied: list[str] = []

    def copy(called: Graph, *_: object) -> list[Node]:
        copied.append(called.name)
        return []

    monkeypatch.setattr(inlining, "_copied", copy)
    assert inlined(graph) is graph
    assert copied == []
