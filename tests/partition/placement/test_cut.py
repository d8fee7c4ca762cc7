"""The minimum cut against every placement of small graphs."""

from __future__ import annotations

import math
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate.partition import PartitionGraph, PartitionTensor
from lite_delegate.partition.placement import PlacementTimes, best_cut
from tests.partition.placement.graphs import Timed, sum_with_transfers_once, timed_graphs


@given(timed_graphs(most=9))
@settings(max_examples=200)
def test_no_placement_is_better(timed: Timed) -> None:
    graph, times = timed
    placements = list(product((False, True), repeat=len(graph)))
    sums = {p: sum_with_transfers_once(graph, times, p) for p in placements}
    found = best_cut(graph, times)
    assert sums[found] == min(sums.values())
    assert found == best_cut(graph, times)


@given(timed_graphs(most=7))
@settings(max_examples=100)
def test_of_equal_ones_the_cpu_has_most(timed: Timed) -> None:
    graph, times = timed
    placements = list(product((False, True), repeat=len(graph)))
    sums = {p: sum_with_transfers_once(graph, times, p) for p in placements}
    if min(sums.values()) < math.inf:
        assert sum(best_cut(graph, times)) == min(sum(p) for p in placements if sums[p] == min(sums.values()))


@given(timed_graphs(most=7), st.data())
@settings(max_examples=100)
def test_groups_stay_together(timed: Timed, data: st.DataObject) -> None:
    graph, times = timed
    claimed = [node for node, each in enumerate(graph.claimed) if each]
    if len(claimed) < 2:
        return
    size = data.draw(st.integers(2, len(claimed)))
    group = sorted(data.draw(st.permutations(claimed))[:size])
    placements = [p for p in product((False, True), repeat=len(graph)) if len({p[node] for node in group}) == 1]
    found = best_cut(graph, times, [group])
    assert found in placements
    best = min(sum_with_transfers_once(graph, times, p) for p in placements)
    assert sum_with_transfers_once(graph, times, found) == best


def test_a_tensor_of_several_readers_crosses_once() -> None:
    # Node 0 is the CPU's. Each of its three readers saves 4 us, the tensor takes 10: together they pay, one does not.
    graph = PartitionGraph(((), (0,), (0,), (0,)), (False, True, True, True), (PartitionTensor(0, (1, 2, 3), 1),))
    times = PlacementTimes((1.0, 5.0, 5.0, 5.0), (1.0, 1.0, 1.0, 1.0), (10.0,))
    assert best_cut(graph, times) == (False, True, True, True)
    alone = PartitionGraph(((), (0,), (0,), (0,)), (False, True, False, False), graph.tensors)
    assert best_cut(alone, times) == (False, False, False, False)


def test_entering_can_cost_more_than_leaving() -> None:
    tensors = (PartitionTensor(None, (0,), 1), PartitionTensor(0, (), 1, is_output=True))
    graph = PartitionGraph(((),), (True,), tensors)
    times = PlacementTimes((10.0,), (1.0,), (3.0, 3.0))
    assert best_cut(graph, times) == (True,)
    assert best_cut(graph, times, entry_us=3.0) == (False,)
