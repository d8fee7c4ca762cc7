"""DeadCodePass, case by case as its docstring numbers them, and on random graphs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate import Model
from lite_delegate.ir import Graph, Node, difference, make_primitive, verify
from lite_delegate.passes import DeadCodePass
from tests.present import present
from tests.runtime.graphs import binary, chain, unary, value


def with_branch(op: str = "Activation") -> Graph:
    """x -> live -> y, and x -> dead1 -> dead2 that nobody reads."""
    x = value("x")
    live, dead1 = unary("live", x), unary("dead1", x)
    dead2 = Node("dead2", make_primitive(op), list(dead1.outputs), [value("dead2:0")])
    return Graph("main", [x], list(live.outputs), [dead1, live, dead2])


def test_1_unread_nodes_are_removed_and_the_given_graph_is_not_changed() -> None:
    graph = with_branch()
    result = DeadCodePass().call(graph)
    assert result.modified
    assert [n.name for n in result.graph.nodes] == ["live"]
    assert [n.name for n in graph.nodes] == ["dead1", "live", "dead2"]


@pytest.mark.parametrize("op", ["Assert", "Assign", "Custom"])
def test_2_nodes_with_side_effects_stay_with_what_they_read(op: str) -> None:
    graph = with_branch(op)
    result = DeadCodePass().call(graph)
    assert not result.modified
    assert result.graph is graph


def test_3_a_node_with_one_output_read_keeps_them_all() -> None:
    x = value("x", (2, 4))
    parts = [value("a", (2, 2)), value("b", (2, 2))]
    split = Node("split", make_primitive("Split", output_num=2, axis=1), [x], list(parts))
    graph = Graph("main", [x], parts[:1], [split])
    assert DeadCodePass().call(graph).graph is graph


def test_4_unread_inputs_stay() -> None:
    graph = with_branch()
    graph.inputs.append(value("unread"))
    assert len(DeadCodePass().call(graph).graph.inputs) == 2


def test_subgraphs_are_cleaned_too() -> None:
    main = chain(1)
    main.subgraphs.append(with_branch())
    result = DeadCodePass().call(main)
    assert [len(g.nodes) for g in result.graph.all_graphs()] == [1, 1]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    values = [value("x")]
    nodes: list[Node] = []
    for i in range(draw(st.integers(1, 12))):
        a, b = draw(st.sampled_from(values)), draw(st.sampled_from(values))
        nodes.append(binary(f"n{i}", a, b))
        values += nodes[-1].outputs
    outputs = draw(st.lists(st.sampled_from(values), min_size=1, max_size=3, unique=True))
    return Graph("main", values[:1], outputs, nodes)


@given(graphs())
@settings(max_examples=60, deadline=None)
def test_outputs_stay_and_a_second_run_changes_nothing(graph: Graph) -> None:
    result = DeadCodePass().call(graph)
    verify(result.graph)
    again = DeadCodePass().call(result.graph)
    assert not again.modified
    assert result.modified == (difference(graph, result.graph) is not None)
    x = {"x": np.ones((2, 3), np.float32)}
    for new, old in zip(_predict(result.graph, x), _execute(graph, x["x"]), strict=True):
        np.testing.assert_array_equal(new, old)


def _predict(graph: Graph, x: dict[str, np.ndarray]) -> list[np.ndarray]:
    model = Model()
    model.build_from_graph(graph)
    return [t.data for t in model.predict(x)]


def _execute(graph: Graph, x: np.ndarray) -> list[np.ndarray]:
    """Every node by hand: they are all additions."""
    found = {graph.inputs[0]: x}
    for node in graph.nodes:
        found[node.outputs[0]] = found[present(node.inputs[0])] + found[present(node.inputs[1])]
    return [found[v] for v in graph.outputs]
