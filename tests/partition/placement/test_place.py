"""Placement by gain: every sum and every choice against counting by hand."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given, settings

from lite_delegate import RejectCode
from lite_delegate.partition import PartitionGraph, PartitionTensor, minimum_runs
from lite_delegate.partition.placement import PlacementTimes, best_cut, place, placement_cost
from tests.partition.placement.graphs import Timed, sum_of_subgraphs, sum_with_transfers_once, timed_graphs


def chain(claimed: str) -> PartitionGraph:
    """Nodes in a row, "c" for claimed; the first reads the graph's input, the last gives its output."""
    n = len(claimed)
    tensors = [PartitionTensor(None, (0,), 1)]
    tensors += [PartitionTensor(i, (i + 1,) if i + 1 < n else (), 1, i + 1 == n) for i in range(n)]
    return PartitionGraph(
        tuple((i - 1,) if i else () for i in range(n)), tuple(c == "c" for c in claimed), tuple(tensors)
    )


@given(timed_graphs())
@settings(max_examples=200)
def test_sums_are_those_of_the_subgraphs(timed: Timed) -> None:
    graph, times = timed
    found = place(graph, times)
    assert found.chosen.total_us == sum_of_subgraphs(times, graph, [s.nodes for s in found.chosen.subgraphs])
    assert found.all_claimed.total_us == sum_of_subgraphs(times, graph, [s.nodes for s in found.all_claimed.subgraphs])
    assert found.cpu_us == sum(times.host_us)
    assert {node for s in found.chosen.subgraphs for node in s.nodes} == {i for i, x in enumerate(found.on_device) if x}


@given(timed_graphs())
@settings(max_examples=200)
def test_it_is_never_worse_than_all_or_nothing(timed: Timed) -> None:
    graph, times = timed
    found = place(graph, times)
    assert found.chosen.total_us <= min(found.all_claimed.total_us, found.cpu_us)
    assert found == place(graph, times)


@given(timed_graphs())
@settings(max_examples=200)
def test_every_subgraph_pays(timed: Timed) -> None:
    graph, times = timed
    found = place(graph, times)
    for subgraph in found.chosen.subgraphs:
        rest = [s.nodes for s in found.chosen.subgraphs if s is not subgraph]
        without = sum_of_subgraphs(times, graph, rest)
        assert found.chosen.total_us < without or math.inf in (found.chosen.total_us, without)


@given(timed_graphs(launch=0))
@settings(max_examples=150)
def test_one_subgraph_without_start_is_the_optimum(timed: Timed) -> None:
    graph, times = timed
    if minimum_runs(graph.with_claims(best_cut(graph, times))).runs <= 1:
        best = min(sum_with_transfers_once(graph, times, p) for p in product((False, True), repeat=len(graph)))
        assert place(graph, times).chosen.total_us == best


@given(timed_graphs(most=7))
@settings(max_examples=100)
def test_chains_of_claimed_nodes_are_placed_best(timed: Timed) -> None:
    _, random = timed
    n = len(random.host_us)
    graph = chain("c" * n) if n else PartitionGraph((), ())
    times = PlacementTimes(random.host_us, random.device_us, random.transfer_us[: n + 1 if n else 0], random.launch_us)
    placements = product((False, True), repeat=n)
    best = min(placement_cost(graph.with_claims(p), times).total_us for p in placements)
    assert place(graph, times).chosen.total_us == best


@given(timed_graphs())
@settings(max_examples=200)
def test_reasons_say_why(timed: Timed) -> None:
    graph, times = timed
    found = place(graph, times)
    lost = [node for node, claimed in enumerate(graph.claimed) if claimed and not found.on_device[node]]
    assert sorted(found.rejected) == lost
    assert sorted(node for loss in found.losses for node in loss.nodes) == lost
    assert all(loss.stays_us <= loss.moves_us for loss in found.losses)
    assert {why.code for why in found.rejected.values()} <= {RejectCode.COST}


def test_a_kernel_that_loses_to_its_transfers() -> None:
    times = PlacementTimes((50.0, 12.0, 50.0), (1.0, 3.1, 1.0), (0.0, 10.0, 10.4, 0.0))
    found = place(chain("rcr"), times)
    assert found.on_device == (False, False, False)
    assert found.rejected[1].reason == "CPU 12.0 us, device 3.1 us + transfers 20.4 us (estimates)"


def test_a_kernel_that_loses_to_the_start() -> None:
    times = PlacementTimes((12.0,), (3.0,), (1.0, 1.0), 50.0, "CPU measured, device estimated")
    found = place(chain("c"), times)
    reason = "CPU 12.0 us, device 3.0 us + transfers 2.0 us + launch 50.0 us (CPU measured, device estimated)"
    assert found.rejected[0].reason == reason


def test_kernels_that_lose_together() -> None:
    found = place(chain("cc"), PlacementTimes((3.0, 4.0), (1.0, 1.0), (4.0, 100.0, 4.0)))
    assert found.rejected[0] == found.rejected[1]
    assert found.rejected[0].reason == (
        "with 1 connected kernel: CPU 7.0 us, device 2.0 us + transfers 8.0 us (estimates)"
    )


def test_a_slow_kernel_inside_saves_a_start() -> None:
    # On the CPU the middle one takes 5 us less, but splits the device's work, which costs a start of 30 us.
    times = PlacementTimes((100.0, 5.0, 100.0), (10.0, 10.0, 10.0), (1.0, 1.0, 1.0, 1.0), 30.0)
    found = place(chain("ccc"), times)
    assert found.on_device == (True, True, True)
    assert found.chosen.total_us == 10 + 10 + 10 + 2 + 30
    free = place(chain("ccc"), PlacementTimes(times.host_us, times.device_us, times.transfer_us))
    assert free.on_device == (True, False, True)


def test_what_the_cpu_cannot_run_stays_on_the_device() -> None:
    found = place(chain("c"), PlacementTimes((math.inf,), (100.0,), (9.0, 9.0), 9.0))
    assert found.on_device == (True,)
    assert found.cpu_us == math.inf


@pytest.mark.parametrize(
    ("host", "transfers", "launch", "message"),
    [
        ((1.0,), (0.0,) * 3, 0.0, "2 nodes, but 1 host times"),
        ((1.0, -1.0), (0.0,) * 3, 0.0, "host times must be 0 us or more, found -1.0"),
        ((1.0, math.nan), (0.0,) * 3, 0.0, "host times must be 0 us or more, found nan"),
        ((1.0, 1.0), (0.0,), 0.0, "3 tensors, but 1 transfer times"),
        ((1.0, 1.0), (0.0, 0.0, math.inf), 0.0, "must take finite times"),
        ((1.0, 1.0), (0.0,) * 3, -1.0, "launch is -1.0 us"),
        ((math.inf, 1.0), (0.0,) * 3, 0.0, "node 0 is not claimed and takes infinitely long on the CPU"),
    ],
)
def test_times_that_do_not_fit(
    host: tuple[float, ...], transfers: tuple[float, ...], launch: float, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        place(chain("rc"), PlacementTimes(host, (1.0, 1.0), transfers, launch))


def least(graph: PartitionGraph, times: PlacementTimes) -> float:
    placements = product((False, True), repeat=len(graph))
    return min(
        placement_cost(graph.with_claims([a and b for a, b in zip(p, graph.claimed, strict=True)]), times).total_us
        for p in placements
    )


def test_a_start_is_charged_where_work_enters() -> None:
    # Neither of the two that gain, 12 and 15 us, pays for a start of 18; with the slow one between them they do.
    times = PlacementTimes((15.0, 0.0, 16.0, 3.0), (3.0, 6.0, 1.0, 7.0), (0.0, 0.0, 0.0, 1.0, 0.0), 18.0)
    found = place(chain("cccc"), times)
    assert found.on_device == (True, True, True, False)
    assert found.chosen.total_us == least(chain("cccc"), times) == 3 + 6 + 1 + 18 + 1 + 3


def test_what_was_lost_is_added_again_where_that_pays() -> None:
    readers = {0: (), 1: (2, 3, 5, 6), 2: (3,), 3: (5, 6), 4: (5, 6), 5: (), 6: ()}
    tensors = (PartitionTensor(None, (0,), 1), *(PartitionTensor(v, r, 1, not r) for v, r in readers.items()))
    before = tuple(tuple(p for p in readers if v in readers[p]) for v in readers)
    graph = PartitionGraph(before, (True, True, True, True, False, True, True), tensors)
    times = PlacementTimes(
        (0.0, 18.0, 1.0, 15.0, 8.0, 16.0, 4.0),
        (2.0, 8.0, 5.0, 7.0, 5.0, 7.0, 8.0),
        (1.0, 2.0, 0.0, 0.0, 3.0, 3.0, 2.0, 1.0),
        8.0,
    )
    assert place(graph, times).chosen.total_us == least(graph, times) == 55


def test_the_start_counts_where_nothing_beside_is_on_the_device() -> None:
    times = PlacementTimes((50.0, 12.0, 50.0), (1.0, 3.0, 1.0), (0.0, 10.0, 10.0, 0.0), 5.0)
    reason = "CPU 12.0 us, device 3.0 us + transfers 20.0 us + launch 5.0 us (estimates)"
    assert place(chain("rcr"), times).rejected[1].reason == reason


def test_transfers_that_staying_needs_count_against_it() -> None:
    # The tensor between the two crosses because the second is on the CPU: 4 us. If it was not, its output would: 1 us.
    times = PlacementTimes((50.0, 10.0), (1.0, 20.0), (2.0, 4.0, 1.0), 5.0)
    reason = "CPU 10.0 us + transfers 4.0 us, device 20.0 us + transfers 1.0 us (estimates)"
    assert place(chain("cc"), times).rejected[1].reason == reason
