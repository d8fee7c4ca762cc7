"""The order with the fewest runs and, among those, the fewest bytes: against every order of small graphs."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate.partition import PartitionGraph, PartitionTensor, boundary_bytes, minimum_runs, runs_of
from lite_delegate.partition.crossing import Crossings
from lite_delegate.partition.orders import exact as exact_module
from lite_delegate.partition.orders import orders as orders_module
from lite_delegate.partition.orders.fill import filled_backwards, filled_forwards
from lite_delegate.partition.orders.goal import Goal
from lite_delegate.partition.orders.levels import latest_levels, levels_of, order_of
from lite_delegate.partition.orders.local import FEW, LevelMoves, improve
from lite_delegate.partition.orders.orders import best_order
from tests.partition.graphs import best_scores, bytes_of, graphs, is_executable, runs_in


@given(graphs(most=7))
@settings(max_examples=200, deadline=None)
def test_best_order_is_the_best_of_all(graph: PartitionGraph) -> None:
    minimum = minimum_runs(graph)
    for least in (0, 2, 3):
        order = best_order(graph, minimum, least=least)
        runs = runs_in(graph, order)
        lost = sum(len(run) for run in runs if len(run) < least)
        assert is_executable(graph, order)
        assert (len(runs), (lost, bytes_of(graph, runs))) == best_scores(graph, least)


@given(graphs(most=40))
@settings(max_examples=150, deadline=None)
def test_moves_alone_are_never_worse_than_any_start(graph: PartitionGraph) -> None:
    minimum = minimum_runs(graph)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact_module, "search", lambda graph, goal, windows, crossings, best: list(best))
        order = best_order(graph, minimum)
    given_order = list(range(len(graph)))
    starts = [order_of(graph, minimum.levels), order_of(graph, latest_levels(graph, minimum.runs))]
    if len(runs_in(graph, given_order)) == minimum.runs:
        starts.append(given_order)
    assert is_executable(graph, order)
    assert len(runs_in(graph, order)) == minimum.runs
    fewest = min(bytes_of(graph, runs_in(graph, start)) for start in starts)
    found = bytes_of(graph, runs_in(graph, order))
    assert found <= fewest
    if given_order in starts and bytes_of(graph, runs_in(graph, given_order)) == found:
        assert order == given_order


@given(graphs(most=25))
@settings(max_examples=150, deadline=None)
def test_levels_between_earliest_and_latest_are_those_of_an_order(graph: PartitionGraph) -> None:
    minimum = minimum_runs(graph)
    latest = latest_levels(graph, minimum.runs)
    assert all(low <= high for low, high in zip(minimum.levels, latest, strict=True))
    for levels in (list(minimum.levels), latest):
        order = order_of(graph, levels)
        assert is_executable(graph, order)
        assert [levels_of(graph, order)[v] for v in order if graph.claimed[v]] == [
            levels[v] for v in order if graph.claimed[v]
        ]


@given(graphs(most=25))
@settings(max_examples=150, deadline=None)
def test_bytes_are_counted_alike(graph: PartitionGraph) -> None:
    """The number that is reported, and the one that orders are compared by."""
    minimum = minimum_runs(graph)
    order = order_of(graph, minimum.levels)
    runs = runs_of(order, graph.claimed)
    nbytes = bytes_of(graph, runs_in(graph, order))
    assert boundary_bytes(graph, order, runs) == nbytes
    found = Crossings(graph, graph.claimed)
    assert sum(c.cost(minimum.levels) for c in found.each()) == nbytes
    assert found.cost(minimum.levels) == nbytes


def test_a_tensor_with_many_readers_is_tallied_as_it_is_moved() -> None:
    """Branches from one tensor to the end can be in either run, and belong into the one that reads it anyway."""
    branches = FEW + 5
    before: list[tuple[int, ...]] = [(), (0,), (1,)]  # claimed, rejected, claimed
    before += [(0,)] * branches + [tuple(range(2, 3 + branches))]
    n = len(before)
    claimed = tuple(v != 1 for v in range(n))
    readers = tuple(v for v in range(n) if 0 in before[v])
    tensors = [PartitionTensor(0, readers, 100)]
    tensors += [PartitionTensor(v, tuple(w for w in range(n) if v in before[w]), 10, v == n - 1) for v in range(1, n)]
    graph = PartitionGraph(tuple(before), claimed, tuple(tensors))
    order = best_order(graph, minimum_runs(graph))
    runs = runs_in(graph, order)
    # All branches in the second run: the 100 bytes leave once and come in once, instead of 10 for each branch.
    assert [len(run) for run in runs] == [1, branches + 2]
    assert bytes_of(graph, runs) == 100 + 100 + 10 + 10


def test_large_graphs_start_from_the_best_start_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(3)
    before = [tuple(sorted({rng.randrange(max(0, v - 30), v) for _ in range(2)})) if v else () for v in range(400)]
    readers = [tuple(w for w in range(400) if v in before[w]) for v in range(400)]
    tensors = tuple(PartitionTensor(v, readers[v], rng.randrange(1, 100), not readers[v]) for v in range(400))
    graph = PartitionGraph(tuple(before), tuple(rng.random() < 0.8 for _ in range(400)), tensors)
    minimum = minimum_runs(graph)
    from_all = best_order(graph, minimum)
    monkeypatch.setattr(orders_module, "MANY", 0)
    from_one = best_order(graph, minimum)
    found = [bytes_of(graph, runs_in(graph, order)) for order in (from_all, from_one)]
    starts = [
        bytes_of(graph, runs_in(graph, order_of(graph, levels)))
        for levels in (minimum.levels, latest_levels(graph, minimum.runs))
    ]
    assert found[0] <= found[1] < min(starts)


def test_exact_search_knows_of_bounds_through_rejected_nodes() -> None:
    """5 -> 6 (rejected) -> 7 can be in the first and second run or the second and third, not both in the second."""
    before = ((), (0,), (1,), (2,), (3,), (), (5,), (6,))
    claimed = (True, False, True, False, True, True, False, True)
    wanted_in_the_second = PartitionTensor(None, (2, 5, 7), 100)
    edges = [PartitionTensor(p, (v,), 1) for v, each in enumerate(before) for p in each]
    graph = PartitionGraph(before, claimed, (wanted_in_the_second, *edges))
    order = best_order(graph, minimum_runs(graph))
    runs = runs_in(graph, order)
    assert is_executable(graph, order)
    assert (len(runs), (0, bytes_of(graph, runs))) == best_scores(graph, 0)


@given(graphs(most=40), st.integers(0, 5))
@settings(max_examples=200, deadline=None)
def test_moves_never_lose_from_where_they_start(graph: PartitionGraph, least: int) -> None:
    minimum = minimum_runs(graph)
    goal = Goal([1] * len(graph), graph.claimed, minimum.runs, least)
    for start in (minimum.levels, latest_levels(graph, minimum.runs)):
        found = improve(graph, goal, Crossings(graph, graph.claimed), start)
        runs, runs_before = (runs_in(graph, order_of(graph, levels)) for levels in (found, start))
        lacks, lacked = (sum(max(0, least - len(run)) for run in each) for each in (runs, runs_before))
        assert is_executable(graph, order_of(graph, found))
        assert (lacks, bytes_of(graph, runs)) <= (lacked, bytes_of(graph, runs_before))
        if lacks == lacked:
            lost, lost_before = (sum(len(run) for run in each if len(run) < least) for each in (runs, runs_before))
            assert lost <= lost_before


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_a_node_that_is_taken_out_sees_what_its_moves_save(data: st.DataObject) -> None:
    """By looking at all ends, and by the tally that is kept while they move, against the bytes of all crossings."""
    count, many = 4 + FEW, data.draw(st.sampled_from([1, 3, FEW, FEW + 3]))
    tensors = (
        PartitionTensor(data.draw(st.sampled_from([None, 0])), tuple(range(1, many + 1)), 10, data.draw(st.booleans())),
        PartitionTensor(0, (1, 2), 7),
        PartitionTensor(None, (2, 3), 5),
    )
    graph = PartitionGraph(((),) * count, (True,) * count, tensors)
    crossings = Crossings(graph, graph.claimed)
    some_level = st.integers(1, data.draw(st.sampled_from([1, 2, 12])))
    levels = data.draw(st.lists(some_level, min_size=count, max_size=count))
    moves = LevelMoves(graph, Goal([1] * count, graph.claimed, 12), crossings, levels)
    for _ in range(4):
        node, towards = data.draw(st.integers(0, count - 1)), data.draw(st.integers(1, 12))
        here = levels[node]
        saved = moves.take(node, towards)
        assert {here, towards} <= saved.keys()
        for to, nbytes in saved.items():
            moved = [to if v == node else level for v, level in enumerate(levels)]
            assert crossings.cost(levels) - crossings.cost(moved) == nbytes - saved[here]
        levels[node] = data.draw(some_level)
        moves.put(node, levels[node])


def test_moves_do_not_pay_for_bytes_with_kernels() -> None:
    """0, 3 and 4 are a run of the size asked for. With 3 at 2, fewer bytes would cross, and both runs be too small."""
    before = ((), (0,), (1,), (), ())
    tensors = (PartitionTensor(None, (2, 3), 100), PartitionTensor(0, (1,), 1), PartitionTensor(4, (), 1, True))
    graph = PartitionGraph(before, (True, False, True, True, True), tensors)
    goal = Goal([1] * 5, graph.claimed, 2, 3)
    start = [1, 1, 2, 1, 1]
    found = improve(graph, goal, Crossings(graph, graph.claimed), start)
    assert goal.sizes(found)[1:] == [3, 1]
    without_limit = improve(graph, Goal([1] * 5, graph.claimed, 2), Crossings(graph, graph.claimed), start)
    assert without_limit[3] == 2


@given(graphs(most=30), st.integers(1, 4))
@settings(max_examples=150, deadline=None)
def test_filled_levels_are_those_of_an_order_with_the_fewest_runs(graph: PartitionGraph, least: int) -> None:
    minimum = minimum_runs(graph)
    latest = latest_levels(graph, minimum.runs)
    goal = Goal([1] * len(graph), graph.claimed, minimum.runs, least)
    for levels in (filled_forwards(graph, goal, latest), filled_backwards(graph, goal, minimum.levels)):
        order = order_of(graph, levels)
        assert is_executable(graph, order)
        assert len(runs_in(graph, order)) == minimum.runs
        assert all(low <= level <= high for low, level, high in zip(minimum.levels, levels, latest, strict=True))


@pytest.mark.parametrize(("least", "forwards", "backwards"), [(2, [2, 2, 3], [3, 2, 2]), (3, [3, 3, 1], [1, 3, 3])])
def test_runs_are_filled_with_what_can_wait(least: int, forwards: list[int], backwards: list[int]) -> None:
    """A chain of three runs of one kernel each, and four kernels that can be in any of them."""
    graph = PartitionGraph(((), (0,), (1,), (2,), (3,), (), (), (), ()), (True, False) * 2 + (True,) * 5)
    goal = Goal([1] * 9, graph.claimed, 3, least)
    assert goal.sizes(filled_forwards(graph, goal, latest_levels(graph, 3)))[1:] == forwards
    assert goal.sizes(filled_backwards(graph, goal, minimum_runs(graph).levels))[1:] == backwards
