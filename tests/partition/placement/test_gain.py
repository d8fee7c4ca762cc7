"""Placement by gain inside the partitioner: before its limits, after its lists."""

from __future__ import annotations

from lite_delegate import PartitionOptions, RejectCode
from lite_delegate.partition import PartitionGraph, PartitionTensor, partition
from lite_delegate.partition.placement import Gain, PlacementTimes

# Three separate pairs c-r: each claimed node reads an input of the graph and gives a tensor to a rejected one.
GRAPH = PartitionGraph(
    ((), (0,), (1,), (2,), (3,), (4,)),
    (True, False, True, False, True, False),
    tuple(PartitionTensor(i, (i + 1,) if i < 5 else (), 1, i == 5) for i in range(6)),
    names=tuple("abcdef"),
)
TIMES = PlacementTimes((9.0, 1.0, 30.0, 1.0, 20.0, 1.0), (5.0,) * 6, (1.0,) * 6, 3.0)
"""On the device a takes 5 + 1 + 3 = 9 us, c and e take 5 + 2 + 3 = 10: they save 0, 20 and 10 us."""


def test_what_does_not_pay_is_dropped() -> None:
    gain = Gain(GRAPH, TIMES)
    found = partition(GRAPH, place=gain, worth=gain.worth)
    assert found.subgraphs == ((2,), (4,))
    assert found.dropped[0].code == RejectCode.COST
    assert found.dropped[0].reason == "CPU 9.0 us, device 5.0 us + transfers 1.0 us + launch 3.0 us (estimates)"
    assert gain.placement is not None
    assert gain.placement.cpu_us == 62
    assert gain.placement.all_claimed.total_us == 3 + 9 + 10 + 10
    assert gain.placement.chosen.total_us == 3 + 9 + 10 + 10


def test_the_subgraph_that_saves_most_stays() -> None:
    gain = Gain(GRAPH, TIMES)
    found = partition(GRAPH, PartitionOptions(max_subgraphs=1), place=gain, worth=gain.worth)
    assert found.subgraphs == ((2,),)
    assert gain.worth([2]) == 20
    assert gain.worth([4]) == 10


def test_lists_go_before() -> None:
    gain = Gain(GRAPH, TIMES)
    found = partition(GRAPH, PartitionOptions(deny_names=frozenset("c")), place=gain, worth=gain.worth)
    assert found.subgraphs == ((4,),)
    assert found.dropped[2].code == RejectCode.POLICY


def test_groups_pay_together_or_not_at_all() -> None:
    gain = Gain(GRAPH.with_claims((True,) * 6), TIMES)
    options = PartitionOptions(groups=(frozenset("ab"),))
    found = partition(GRAPH.with_claims((True,) * 6), options, place=gain, worth=gain.worth)
    assert found.kept[0] == found.kept[1]
