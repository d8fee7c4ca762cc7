"""Each property is seen to fail: partitions with one planted fault, and none for partitions as they come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings

from lite_delegate import PartitionOptions, RejectCode, Rejected
from lite_delegate.partition import MinimumRuns, Partition, PartitionGraph, PartitionTensor, partition
from lite_delegate.partition.properties import Property, partition_violations, violations
from tests.partition.graphs import graphs

# 0 -> 1 -> 2 -> 3 and 4 -> 5; 1 and 4 stay on the CPU.
GRAPH = PartitionGraph(
    ((), (0,), (1,), (2,), (), (4,)),
    (True, False, True, True, False, True),
    (PartitionTensor(0, (1,), 4), PartitionTensor(3, (), 8, True)),
    ("a", "b", "c", "d", "e", "f"),
    ("A", "B", "A", "A", "B", "A"),
)


def found_in(
    order: Sequence[int], subgraphs: Sequence[Sequence[int]], groups: Sequence[Sequence[int]] = ()
) -> list[Property]:
    return [v.property for v in violations(GRAPH, order, subgraphs, groups)]


def test_a_partition_that_can_run_has_no_violation() -> None:
    assert found_in([4, 0, 1, 2, 3, 5], [[0], [2, 3], [5]]) == []
    assert found_in([4, 0, 1, 2, 3, 5], [[0], [2, 3, 5]], [[2, 5], [1, 4]]) == []


@pytest.mark.parametrize(
    ("order", "subgraphs", "groups", "expected", "text"),
    [
        ([0, 1, 2, 3, 4], [[0]], [], Property.COVER, "'f' is in the order 0 times"),
        ([0, 1, 2, 3, 4, 5, 5], [[0]], [], Property.COVER, "'f' is in the order 2 times"),
        ([0, 1, 2, 3, 4, 5, 6], [[0]], [], Property.COVER, "the order has a node 6, the graph has 6 nodes"),
        ([0, 1, 3, 2, 4, 5], [], [], Property.ORDER, "'d' runs before 'c', on which it depends"),
        ([0, 1, 2, 4, 3, 5], [[2, 3]], [], Property.ORDER, "the nodes of subgraph 0 do not stand side by side"),
        ([0, 1, 2, 3, 4, 5], [[0], [2], [2, 3]], [], Property.DISJOINT, "'c' is in subgraphs 1 and 2"),
        ([0, 1, 2, 3, 4, 5], [[2, 2]], [], Property.DISJOINT, "'c' is in subgraph 0 twice"),
        ([0, 1, 2, 3, 4, 5], [[]], [], Property.DISJOINT, "subgraph 0 has no node"),
        ([0, 1, 2, 3, 4, 5], [[0, 1]], [], Property.CLAIMS, "'b' is in subgraph 0 and is not claimed"),
        ([0, 2, 1, 3, 4, 5], [[0, 2]], [], Property.CONVEX, "a path leaves subgraph 0 and comes back through 'b'"),
        ([0, 1, 2, 3, 4, 5], [[0], [2, 3]], [[3, 5]], Property.GROUPS, "'d', 'f' must stay whole and are in 2 places"),
        ([0, 1, 2, 3, 4, 5], [[0], [2, 3]], [[0, 2]], Property.GROUPS, "'a', 'c' must stay whole and are in 2 places"),
    ],
)
def test_each_fault_is_named(
    order: list[int], subgraphs: list[list[int]], groups: list[list[int]], expected: Property, text: str
) -> None:
    found = violations(GRAPH, order, subgraphs, groups)
    assert any(v.property == expected and v.message.startswith(text) for v in found), list(map(str, found))


def test_subgraphs_that_need_each_other_are_named() -> None:
    # 0 -> 3 and 1 -> 2: each subgraph is convex by itself.
    graph = PartitionGraph(((), (), (1,), (0,)), (True,) * 4)
    found = violations(graph, [0, 1, 2, 3], [[0, 2], [1, 3]])
    assert [str(v) for v in found if v.property == Property.ACYCLIC] == [
        "acyclic: subgraphs 0, 1 need each other's results"
    ]
    assert not [v for v in found if v.property == Property.CONVEX]


def test_the_cycle_that_a_known_partitioner_proposes_is_found() -> None:
    """A published partitioner without horizontal fusion gives {4}, {2, 3} and {0, 1, 5} for this graph."""
    edges = [(5, 0), (0, 1), (3, 1), (6, 1), (3, 2), (5, 2), (3, 6), (4, 6)]
    number = {old: new for new, old in enumerate([5, 0, 3, 2, 4, 6, 1])}
    before = [tuple(sorted(number[a] for a, b in edges if number[b] == v)) for v in range(7)]
    graph = PartitionGraph(tuple(before), tuple(v != number[6] for v in range(7)))
    subgraphs = [[number[v] for v in part] for part in ([4], [2, 3], [0, 1, 5])]
    assert Property.ACYCLIC in [v.property for v in violations(graph, range(7), subgraphs)]


OPTIONS = PartitionOptions(max_subgraphs=2)
GOOD = partition(GRAPH, OPTIONS)
WHY = Rejected(RejectCode.POLICY, "because")


def with_runs(*runs: range) -> Partition:
    return replace(GOOD, runs=runs)


@pytest.mark.parametrize(
    ("bad", "expected"),
    [
        (replace(GOOD, minimum=MinimumRuns(GOOD.minimum.runs, GOOD.minimum.path[1:], ())), Property.CERTIFICATE),
        (replace(GOOD, minimum=MinimumRuns(2, (0, 2), ())), Property.CERTIFICATE),
        (replace(GOOD, minimum=MinimumRuns(1, (0,), ())), Property.COUNT),
        (replace(GOOD, dropped={0: WHY}), Property.REASONS),
        (replace(GOOD, dropped={1: WHY}), Property.REASONS),
        (replace(GOOD, kept=(True,) * 6), Property.REASONS),
        (replace(GOOD, boundary_bytes=GOOD.boundary_bytes + 1), Property.BYTES),
        (replace(GOOD, minimum=MinimumRuns(2, (0, 1, 2), (7,) * 6)), Property.SAME),
    ],
    ids=["path-cut", "path-jumps", "bound-low", "reason-extra", "reason-unclaimed", "kept-wrong", "bytes", "other"],
)
def test_each_fault_of_a_result_is_named(bad: Partition, expected: Property) -> None:
    assert expected in [v.property for v in partition_violations(GRAPH, bad, OPTIONS)]


def test_more_subgraphs_than_the_bound_are_named() -> None:
    split = [run for r in GOOD.runs for run in ([r] if len(r) == 1 else [r[:1], r[1:]])]
    assert Property.COUNT in [v.property for v in partition_violations(GRAPH, with_runs(*split), PartitionOptions())]


@pytest.mark.parametrize(
    "options",
    [
        PartitionOptions(min_kernels=3),
        PartitionOptions(max_kernels_per_subgraph=1),
        PartitionOptions(max_subgraphs=1),
        PartitionOptions(connected=True),
    ],
    ids=["min_kernels", "max_kernels_per_subgraph", "max_subgraphs", "connected"],
)
def test_a_limit_that_is_not_kept_is_named(options: PartitionOptions) -> None:
    found = partition_violations(GRAPH, GOOD, options)
    assert Property.LIMITS in [v.property for v in found]


@given(graphs(most=40))
@settings(max_examples=150, deadline=None)
def test_random_graphs_have_partitions_without_violation(graph: PartitionGraph) -> None:
    assert partition_violations(graph, partition(graph)) == []
