"""The bound, the order that reaches it and the path that proves it, against every order of small graphs."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate.partition import PartitionGraph, minimum_runs, order_with_fewest_runs, runs_of


@st.composite
def graphs(draw: st.DrawFn, most: int = 40) -> PartitionGraph:
    n = draw(st.integers(0, most))
    predecessors = tuple(tuple(sorted(draw(st.sets(st.integers(0, v - 1), max_size=3)))) if v else () for v in range(n))
    return PartitionGraph(predecessors, tuple(draw(st.lists(st.booleans(), min_size=n, max_size=n))))


def is_executable(order: list[int], graph: PartitionGraph) -> bool:
    position = {node: i for i, node in enumerate(order)}
    return sorted(order) == list(range(len(graph))) and all(
        position[p] < position[v] for v in range(len(graph)) for p in graph.predecessors[v]
    )


def stretches(path: tuple[int, ...], graph: PartitionGraph) -> int:
    return sum(graph.claimed[v] and (i == 0 or not graph.claimed[path[i - 1]]) for i, v in enumerate(path))


@given(graphs(most=7))
@settings(max_examples=150, deadline=None)
def test_bound_is_the_minimum_over_all_orders(graph: PartitionGraph) -> None:
    executable = (list(p) for p in permutations(range(len(graph))) if is_executable(list(p), graph))
    best = min(len(runs_of(order, graph.claimed)) for order in executable)
    assert minimum_runs(graph).runs == best


@given(graphs())
@settings(max_examples=300, deadline=None)
def test_order_reaches_the_bound_and_path_proves_it(graph: PartitionGraph) -> None:
    minimum = minimum_runs(graph)
    order = order_with_fewest_runs(graph, minimum)
    assert is_executable(order, graph)
    assert len(runs_of(order, graph.claimed)) == minimum.runs
    assert all(a in graph.predecessors[b] for a, b in zip(minimum.path, minimum.path[1:], strict=False))
    assert stretches(minimum.path, graph) == minimum.runs
    assert order == order_with_fewest_runs(graph, minimum_runs(graph))


@given(graphs())
@settings(max_examples=100, deadline=None)
def test_an_order_that_is_already_best_stays(graph: PartitionGraph) -> None:
    minimum = minimum_runs(graph)
    if len(runs_of(range(len(graph)), graph.claimed)) == minimum.runs:
        assert order_with_fewest_runs(graph, minimum) == list(range(len(graph)))


def test_interleaved_branches_become_one_run() -> None:
    # 0 -> 2 -> 4 and 1 -> 3 -> 5 with 1 and 3 rejected: two runs as listed, one with the rejected ones first.
    graph = PartitionGraph(((), (), (0,), (1,), (2,), (3,)), (True, False, True, False, True, True))
    minimum = minimum_runs(graph)
    order = order_with_fewest_runs(graph, minimum)
    assert minimum.runs == 1
    assert order == [1, 3, 0, 2, 4, 5]


@pytest.mark.parametrize(
    ("flags", "runs"),
    [("", []), ("c", [(0, 1)]), ("r", []), ("ccr", [(0, 2)]), ("rcc", [(1, 3)]), ("crc", [(0, 1), (2, 3)])],
)
def test_runs_of_finds_head_middle_and_tail(flags: str, runs: list[tuple[int, int]]) -> None:
    assert runs_of(range(len(flags)), [f == "c" for f in flags]) == [range(*r) for r in runs]


def test_an_order_that_is_not_executable_is_rejected() -> None:
    with pytest.raises(ValueError, match="node 0 must come after its predecessors"):
        PartitionGraph(((1,), ()), (True, True))
