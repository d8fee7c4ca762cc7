"""Placement on several devices: sums by hand, the search against all placements and against dynamic programming."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate.partition import PartitionGraph, PartitionTensor
from lite_delegate.partition.mixed import MixedTimes, best_placements, device_runs, mixed_cost
from lite_delegate.partition.mixed.search import alone
from tests.partition.mixed.graphs import Timed, chain, mixed_graphs, mixed_times


def taken(graph: PartitionGraph, times: MixedTimes, devices: Sequence[int], runs: Sequence[Sequence[int]]) -> float:
    """What subgraphs take, reckoned subgraph by subgraph; what the host runs is in none."""
    total = sum(times.node_us[node][device] for node, device in enumerate(devices))
    for run in runs:
        device = devices[run[0]]
        if device == 0:
            continue
        total += times.start_us[device]
        for tensor in graph.tensors:
            made = tensor.producer in run
            reads = any(node in run for node in tensor.consumers)
            elsewhere = tensor.is_output or any(node not in run for node in tensor.consumers)
            total += times.byte_us[device] * tensor.nbytes * ((reads and not made) or (made and elsewhere))
    return total


def every(times: MixedTimes) -> list[tuple[int, ...]]:
    return list(product(*(times.runs_on(node) for node in range(len(times.node_us)))))


@given(mixed_graphs(most=9), st.data())
@settings(max_examples=150)
def test_runs_are_executable_and_of_one_device_each(timed: Timed, data: st.DataObject) -> None:
    graph, times = timed
    devices = [data.draw(st.sampled_from(times.runs_on(node))) for node in range(len(graph))]
    runs = device_runs(graph, devices)
    order = [node for run in runs for node in run]
    assert sorted(order) == list(range(len(graph)))
    place = {node: position for position, node in enumerate(order)}
    assert all(place[p] < place[node] for node, before in enumerate(graph.predecessors) for p in before)
    assert all(len({devices[node] for node in run}) == 1 for run in runs)
    assert all(devices[one[0]] != devices[two[0]] for one, two in pairwise(runs))
    assert mixed_cost(graph, times, devices) == taken(graph, times, devices, runs)


@given(mixed_graphs())
@settings(max_examples=150)
def test_it_is_never_worse_than_the_best_device_alone(timed: Timed) -> None:
    graph, times = timed
    best = best_placements(graph, times)[0]
    single = min((mixed_cost(graph, times, alone(times, d)) for d in times.devices), default=0.0) if len(graph) else 0
    assert best.us <= single
    assert best.us == (mixed_cost(graph, times, best.devices) if len(graph) else 0)
    assert all(times.node_us[node][device] < math.inf for node, device in enumerate(best.devices))
    assert best_placements(graph, times)[0] == best


def test_over_many_graphs_it_is_close_to_the_best_of_all_placements() -> None:
    lost: list[float] = []
    whole: list[float] = []

    @given(mixed_graphs(most=6))
    @settings(max_examples=200, derandomize=True, database=None)
    def look(timed: Timed) -> None:
        graph, times = timed
        best = min(mixed_cost(graph, times, devices) for devices in every(times)) if len(graph) else 0.0
        found = best_placements(graph, times)[0].us
        assert found >= best
        lost.append(found - best)
        whole.append(best)

    look()
    assert sum(each > 0 for each in lost) <= 0.05 * len(lost)
    assert sum(lost) <= 0.01 * sum(whole)


@given(mixed_graphs(most=7, devices=2, start=0))
@settings(max_examples=150)
def test_for_two_devices_with_free_starts_and_bytes_it_is_the_optimum(timed: Timed) -> None:
    graph, times = timed
    free = MixedTimes(times.node_us, times.start_us, (0.0, 0.0))
    assert best_placements(graph, free)[0].us == sum(min(row) for row in free.node_us)


@given(st.integers(1, 8), st.data())
@settings(max_examples=150)
def test_chains_on_two_devices_are_placed_best(nodes: int, data: st.DataObject) -> None:
    """Viterbi's dynamic programming says what is best."""
    graph, times = chain(nodes), data.draw(mixed_times(nodes, devices=2))
    assert best_placements(graph, times)[0].us == _shortest_way(times, nodes)


def _shortest_way(times: MixedTimes, nodes: int) -> float:
    def cross(device: int) -> float:
        return 2 * times.byte_us[device]

    ways = [times.start_us[d] + cross(d) + times.node_us[0][d] for d in times.devices]
    for node in range(1, nodes):
        ways = [
            times.node_us[node][d]
            + min(ways[e] + (0 if e == d else cross(e) + cross(d) + times.start_us[d]) for e in times.devices)
            for d in times.devices
        ]
    return min(way + cross(d) for d, way in enumerate(ways))


@given(mixed_graphs(most=7), st.data())
@settings(max_examples=100)
def test_groups_stay_together(timed: Timed, data: st.DataObject) -> None:
    graph, times = timed
    anywhere = [node for node in range(len(graph)) if len(times.runs_on(node)) == 3]
    group = data.draw(st.lists(st.sampled_from(anywhere), unique=True)) if anywhere else []
    best = best_placements(graph, times, [group] if group else [])[0]
    assert len({best.devices[node] for node in group}) <= 1


def test_a_device_takes_the_part_that_it_is_good_at() -> None:
    """Ten each for what the other does in one: with a start of 3 each takes its half, with 20 one takes all."""
    graph = chain(4)
    rows = ((math.inf, 1.0, 10.0), (math.inf, 1.0, 10.0), (math.inf, 10.0, 1.0), (math.inf, 10.0, 1.0))
    cheap = best_placements(graph, MixedTimes(rows, (0, 3, 3), (0, 0, 0)))[0]
    assert (cheap.devices, cheap.us) == ((1, 1, 2, 2), 10)
    dear = best_placements(graph, MixedTimes(rows, (0, 20, 20), (0, 0, 0)))[0]
    assert (len(set(dear.devices)), dear.us) == (1, 42)


@pytest.mark.parametrize(
    "times",
    [
        MixedTimes(((1.0, 1.0),), (0.0, 1.0), (0.0,)),
        MixedTimes(((1.0,),), (0.0, 1.0), (0.0, 1.0)),
        MixedTimes((), (0.0,), (0.0,)),
        MixedTimes(((-1.0, 1.0),), (0.0, 1.0), (0.0, 1.0)),
        MixedTimes(((math.inf, math.inf),), (0.0, 1.0), (0.0, 1.0)),
        MixedTimes(((1.0, 1.0),), (1.0, 1.0), (0.0, 1.0)),
        MixedTimes(((1.0, 1.0),), (0.0, math.inf), (0.0, 1.0)),
        MixedTimes(((math.nan, 1.0),), (0.0, 1.0), (0.0, 1.0)),
    ],
)
def test_times_that_are_none_are_rejected(times: MixedTimes) -> None:
    graph = PartitionGraph(((),), (True,), (PartitionTensor(None, (0,), 1),))
    with pytest.raises(ValueError, match=r"times|start|runs on no device"):
        best_placements(graph, times)
