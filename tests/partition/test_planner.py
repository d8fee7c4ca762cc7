"""Partitions with limits, groups and lists: against every order of small graphs, and one property check for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate import PartitionOptions, RejectCode, Rejected
from lite_delegate.partition import PartitionGraph, PartitionTensor, partition
from lite_delegate.partition.properties import partition_violations
from tests.partition.graphs import all_orders, best_scores, bytes_of, graphs, runs_in

LIMIT = st.sampled_from([None, None, 0, 1, 2, 3, 5])


@st.composite
def options_for(draw: st.DrawFn, graph: PartitionGraph) -> PartitionOptions:
    names = st.sets(st.sampled_from(graph.names), max_size=3) if len(graph) else st.just(set())
    types = st.sets(st.sampled_from("ABC"), max_size=2)
    return PartitionOptions(
        min_kernels=draw(LIMIT),
        max_subgraphs=draw(LIMIT),
        max_kernels_per_subgraph=draw(LIMIT),
        connected=draw(st.booleans()),
        allow_types=draw(st.sampled_from([None, None, None, frozenset("AB")])),
        deny_types=draw(st.one_of(st.just(set()), types)),
        allow_names=draw(st.sampled_from([None, None, None, frozenset(graph.names[:8])])),
        deny_names=draw(names),
        groups=draw(st.lists(names, max_size=3)),
    )


def line(flags: str) -> PartitionGraph:
    """A chain: c for claimed, r for rejected."""
    before = tuple((v - 1,) if v else () for v in range(len(flags)))
    names = tuple(f"n{v}" for v in range(len(flags)))
    return PartitionGraph(before, tuple(f == "c" for f in flags), (), names, ("A",) * len(flags))


def codes(dropped: dict[int, Rejected]) -> dict[int, str]:
    return {v: why.code.value for v, why in sorted(dropped.items())}


@given(st.data())
@settings(max_examples=400, deadline=None)
def test_all_properties_hold_with_any_options(data: st.DataObject) -> None:
    graph = data.draw(graphs(most=16))
    options = data.draw(options_for(graph))
    assert partition_violations(graph, partition(graph, options), options) == []


@given(graphs(most=7), st.integers(1, 4))
@settings(max_examples=200, deadline=None)
def test_nothing_is_too_small_where_some_order_keeps_all(graph: PartitionGraph, least: int) -> None:
    found = partition(graph, PartitionOptions(min_kernels=least))
    count, (lost, nbytes) = best_scores(graph, least)
    assert len(found.dropped) == lost
    assert {why.code for why in found.dropped.values()} <= {RejectCode.TOO_SMALL}
    if not lost:
        assert (len(found.runs), found.boundary_bytes) == (count, nbytes)


@given(graphs(most=7), st.data())
@settings(max_examples=200, deadline=None)
def test_groups_are_held_in_the_fewest_runs_or_cannot_be(graph: PartitionGraph, data: st.DataObject) -> None:
    group = data.draw(st.sets(st.integers(0, len(graph) - 1), min_size=2, max_size=3)) if len(graph) > 1 else set()
    found = partition(graph, PartitionOptions(groups=[{graph.names[v] for v in group}] if group else []))
    whole = [
        runs for runs in (runs_in(graph, order) for order in all_orders(graph)) if any(group <= {*run} for run in runs)
    ]
    if not found.dropped:
        held = (
            whole
            if group & {v for run in found.subgraphs for v in run}
            else [runs_in(graph, order) for order in all_orders(graph)]
        )
        assert (len(found.runs), found.boundary_bytes) == min((len(runs), bytes_of(graph, runs)) for runs in held)
    else:
        assert not whole
        assert set(found.dropped) == {v for v in group if graph.claimed[v]}


@given(graphs(most=30))
@settings(max_examples=100, deadline=None)
def test_no_options_drop_nothing(graph: PartitionGraph) -> None:
    found = partition(graph)
    assert not found.dropped
    assert found.kept == graph.claimed
    assert len(found.runs) == found.minimum.runs


@pytest.mark.parametrize(
    ("options", "expected", "reason"),
    [
        ({"deny_types": {"A"}}, {0: "POLICY", 1: "POLICY", 3: "POLICY"}, "operator type 'A' is in deny_types"),
        ({"allow_types": set()}, {0: "POLICY", 1: "POLICY", 3: "POLICY"}, "operator type 'A' is not in allow_types"),
        ({"deny_names": {"n0"}}, {0: "POLICY"}, "node 'n0' is in deny_names"),
        ({"allow_names": {"n1", "n3"}}, {0: "POLICY"}, "node 'n0' is not in allow_names"),
        ({"deny_names": {"n0"}, "allow_names": {"n1", "n3"}}, {0: "POLICY"}, "node 'n0' is in deny_names"),
        ({"min_kernels": 2}, {3: "TOO_SMALL"}, "its subgraph would have 1 kernel, fewer than min_kernels=2"),
        ({"max_subgraphs": 1}, {3: "LIMIT"}, "its subgraph of 1 kernel is not one of the 1 of 2 that max_subgraphs=1"),
        ({"max_subgraphs": 0}, {0: "LIMIT", 1: "LIMIT", 3: "LIMIT"}, "max_subgraphs=0 allows no subgraph"),
        ({"max_kernels_per_subgraph": 0}, {0: "LIMIT", 1: "LIMIT", 3: "LIMIT"}, "max_kernels_per_subgraph=0 allows no"),
        ({"max_kernels_per_subgraph": 1}, {}, ""),
        ({"min_kernels": 0}, {}, ""),
    ],
)
def test_each_option_has_its_reason(options: dict[str, object], expected: dict[int, str], reason: str) -> None:
    found = partition(line("ccrc"), PartitionOptions(**options))  # type: ignore[arg-type]
    assert codes(dict(found.dropped)) == expected
    assert not expected or found.dropped[min(expected)].reason.startswith(reason)


def test_a_group_larger_than_a_subgraph_may_be_is_rejected_whole() -> None:
    options = PartitionOptions(groups=[{"n0", "n2"}], max_kernels_per_subgraph=2)
    found = partition(line("cccc"), options)  # n1 stands between the two, so the group is of three.
    assert codes(dict(found.dropped)) == {0: "LIMIT", 1: "LIMIT", 2: "LIMIT"}
    assert found.dropped[0].reason == (
        "its group of 3 kernels, which stays whole, is larger than max_kernels_per_subgraph=2"
    )
    assert found.subgraphs == ((3,),)


def test_a_group_with_a_node_on_the_cpu_is_rejected_whole() -> None:
    found = partition(line("ccrc"), PartitionOptions(groups=[{"n1", "n2"}]))
    assert codes(dict(found.dropped)) == {1: "POLICY"}
    assert found.dropped[1].reason == "its group of 2 nodes stays whole, and 'n2' of it stays on the CPU"


def test_a_group_around_a_node_on_the_cpu_is_given_up() -> None:
    found = partition(line("ccrc"), PartitionOptions(groups=[{"n0", "n3"}]))
    assert codes(dict(found.dropped)) == {0: "POLICY", 3: "POLICY"}
    assert "'n2', which stays on the CPU, would have to run in the middle of it" in found.dropped[0].reason
    assert found.subgraphs == ((1,),)


def test_groups_that_need_each_other_become_one() -> None:
    # 0 -> 3 and 1 -> 2, groups {0, 2} and {1, 3}: neither can run before the other.
    graph = PartitionGraph(((), (), (1,), (0,)), (True,) * 4, (), ("a", "b", "c", "d"))
    options = PartitionOptions(groups=[{"a", "c"}, {"b", "d"}], max_kernels_per_subgraph=3)
    assert codes(dict(partition(graph, options).dropped)) == dict.fromkeys(range(4), "LIMIT")


def test_work_moves_to_a_run_that_is_too_small() -> None:
    # 0 -> 1 (rejected) -> 4 -> 5; 2 and 3 only have to be done before 5, and are listed behind 1.
    graph = PartitionGraph(((), (0,), (), (), (1,), (2, 3, 4)), (True, False, True, True, True, True))
    assert [len(run) for run in partition(graph).subgraphs] == [1, 4]
    found = partition(graph, PartitionOptions(min_kernels=2))
    assert not found.dropped
    assert sorted(map(len, found.subgraphs)) == [2, 3]


@pytest.mark.parametrize(
    ("length", "options", "sizes"),
    [
        (7, {"max_kernels_per_subgraph": 3}, [3, 3, 1]),
        (7, {"max_kernels_per_subgraph": 3, "min_kernels": 2}, [2, 2, 3]),
        (4, {"max_kernels_per_subgraph": 3, "min_kernels": 3}, [3]),
        (8, {"max_kernels_per_subgraph": 3, "max_subgraphs": 2}, [3, 3]),
        (3, {"max_kernels_per_subgraph": 9}, [3]),
    ],
)
def test_runs_are_cut_to_size(length: int, options: dict[str, int], sizes: list[int]) -> None:
    found = partition(line("c" * length), PartitionOptions(**options))  # type: ignore[arg-type]
    assert sorted(len(run) for run in found.subgraphs) == sorted(sizes)
    assert Counter(found.kept)[True] == sum(sizes)


def test_connected_splits_runs_into_parts_but_not_groups() -> None:
    # Two chains side by side, listed in turn.
    graph = PartitionGraph(((), (), (0,), (1,)), (True,) * 4, (), ("a", "b", "c", "d"))
    assert partition(graph).subgraphs == ((0, 1, 2, 3),)
    assert partition(graph, PartitionOptions(connected=True)).subgraphs == ((0, 2), (1, 3))
    grouped = PartitionOptions(connected=True, groups=[{"a", "d"}])
    assert [sorted(run) for run in partition(graph, grouped).subgraphs] == [[0, 1, 2, 3]]


def test_placement_goes_before_limits_and_keeps_groups_whole() -> None:
    graph = line("ccccrc")
    asked: list[tuple[tuple[bool, ...], list[list[int]]]] = []

    def place(graph: PartitionGraph, groups: Sequence[Sequence[int]]) -> dict[int, Rejected]:
        asked.append((graph.claimed, [list(group) for group in groups]))
        return dict.fromkeys((1, 3, 5), Rejected(RejectCode.COST, "too slow"))  # 3 has its reason already

    options = PartitionOptions(groups=[{"n0", "n1"}], deny_names={"n3"}, min_kernels=1)
    found = partition(graph, options, place=place)
    assert asked == [((True, True, True, False, False, True), [[0, 1]])]
    assert codes(dict(found.dropped)) == {0: "POLICY", 1: "COST", 3: "POLICY", 5: "COST"}
    assert found.subgraphs == ((2,),)


def test_worth_says_which_subgraphs_stay() -> None:
    graph = line("ccrcrc")
    found = partition(graph, PartitionOptions(max_subgraphs=1), worth=lambda nodes: 10.0 if 5 in nodes else 1.0)
    assert found.subgraphs == ((5,),)
    assert partition(graph, PartitionOptions(max_subgraphs=2)).subgraphs == ((0, 1), (3,))


def test_tensors_inside_a_group_do_not_cross() -> None:
    tensors = (PartitionTensor(0, (1, 2), 8), PartitionTensor(1, (2,), 4), PartitionTensor(2, (), 2, True))
    graph = PartitionGraph(((), (0,), (0, 1)), (True,) * 3, tensors, ("a", "b", "c"))
    assert partition(graph, PartitionOptions(groups=[{"a", "b"}])).boundary_bytes == 2
