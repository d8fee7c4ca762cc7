"""What-if: the same as partitioning with the nodes really claimed; which cases there are, and in which order."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate import PartitionOptions, RejectCode
from lite_delegate.partition import PartitionGraph, PartitionTensor, partition, what_if
from lite_delegate.partition.placement import PlacementTimes
from lite_delegate.partition.turns import Answers, AskedGraph, take_turns
from lite_delegate.partition.what_if import ABILITY, Difference
from tests.partition.graphs import bytes_of, graphs
from tests.partition.placement.graphs import sum_of_subgraphs
from tests.partition.test_planner import options_for

CODES = tuple(RejectCode)


def nothing_claimed(graph: PartitionGraph) -> PartitionGraph:
    return graph.with_claims([False] * len(graph))


def claims_of(graph: PartitionGraph) -> frozenset[int]:
    return frozenset(v for v, claimed in enumerate(graph.claimed) if claimed)


def rejections(draw: st.DrawFn, graph: PartitionGraph, claimed: Collection[int]) -> dict[int, RejectCode]:
    return {v: draw(st.sampled_from(CODES)) for v in range(len(graph)) if v not in claimed and draw(st.booleans())}


@st.composite
def asked_by_one(draw: st.DrawFn) -> AskedGraph:
    graph = draw(graphs(most=14))
    claimed = claims_of(graph)
    return AskedGraph(nothing_claimed(graph), (Answers("d", claimed, rejections(draw, graph, claimed)),))


def supposed(asked: AskedGraph, difference: Difference) -> set[int]:
    """The nodes that a case speaks of, by its words."""
    (answers,) = asked.answers
    case = difference.case
    return {
        v
        for v, code in answers.rejected.items()
        if code.value in ("OPERATOR", "ATTRIBUTE", "DTYPE", "SHAPE", "RANK", "NOT_CONSTANT")
        and asked.graph.types[v] == case.type
        and case.node in ("", asked.graph.names[v])
    }


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_it_is_what_partitioning_with_the_nodes_claimed_gives(data: st.DataObject) -> None:
    asked = data.draw(asked_by_one())
    options = data.draw(options_for(asked.graph))
    (answers,) = asked.answers
    for difference in what_if.what_if([asked], options, asked.graph.names):
        for totals, more in ((difference.before, set()), (difference.after, supposed(asked, difference))):
            graph = asked.graph.with_claims([v in answers.claimed or v in more for v in range(len(asked.graph))])
            found = partition(graph, options)
            assert totals.subgraphs == len(found.subgraphs)
            assert totals.kernels == sum(found.kept)
            assert totals.boundary_bytes == bytes_of(graph, found.subgraphs)
            assert totals.time_us is None


@given(asked_by_one())
@settings(max_examples=100, deadline=None)
def test_each_type_and_each_node_of_the_path_that_cannot_be_done_has_one_case(asked: AskedGraph) -> None:
    (answers,) = asked.answers
    path = asked.graph.names[::2]
    found = what_if.what_if([asked], PartitionOptions(), path)
    able = {v for v, code in answers.rejected.items() if code in ABILITY}
    assert sorted(d.case.type for d in found if not d.case.node) == sorted({asked.graph.types[v] for v in able})
    assert sorted(d.case.node for d in found if d.case.node) == sorted(asked.graph.names[v] for v in able if v % 2 == 0)
    for difference in found:
        nodes = supposed(asked, difference)
        assert set(difference.case.nodes[0]) == nodes
        counted = {code: sum(answers.rejected[v] is code for v in nodes) for code in difference.case.codes}
        assert dict(difference.case.codes) == counted
        assert sum(counted.values()) == len(nodes)


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_the_second_delegate_partitions_what_the_first_left(data: st.DataObject) -> None:
    """As if the subgraphs of the first were single nodes, here made with groups that nothing else is asked of."""
    graph = data.draw(graphs(most=12))
    first = claims_of(graph)
    second = frozenset(data.draw(st.sets(st.integers(0, len(graph) - 1)))) if len(graph) else frozenset()
    asked = AskedGraph(nothing_claimed(graph), (Answers("one", first, {}), Answers("two", second, {})))
    taken = take_turns(asked, PartitionOptions())
    ours = [nodes for delegate, nodes in taken.subgraphs if delegate == "one"]
    theirs = [nodes for delegate, nodes in taken.subgraphs if delegate == "two"]
    assert [set(nodes) for nodes in ours] == [set(nodes) for nodes in partition(graph, PartitionOptions()).subgraphs]
    assert {v for nodes in theirs for v in nodes} == second - first
    assert len(theirs) == fewest_around(graph, ours, second - first)
    assert taken.boundary_bytes == bytes_of(graph, [*ours, *theirs])


def fewest_around(graph: PartitionGraph, subgraphs: list[tuple[int, ...]], claimed: Collection[int]) -> int:
    """The most stretches of claimed nodes on a path on which each subgraph is one node: by plain recursion."""
    of = {v: nodes for nodes in subgraphs for v in nodes}

    def before(unit: tuple[int, ...]) -> set[tuple[int, ...]]:
        return {of.get(p, (p,)) for v in unit for p in graph.predecessors[v]} - {unit}

    def blocks(unit: tuple[int, ...]) -> int:
        mine = unit[0] in claimed and unit not in subgraphs
        through = [blocks(p) + int(mine and not (p[0] in claimed and p not in subgraphs)) for p in before(unit)]
        return max([int(mine), *through])

    return max((blocks(of.get(v, (v,))) for v in range(len(graph))), default=0)


def chain(types: str, nbytes: int = 10) -> PartitionGraph:
    """A chain of nodes n0, n1, ... of these types, with a tensor from each to the next, an input and an output."""
    n = len(types)
    tensors = [PartitionTensor(None, (0,), nbytes)]
    tensors += [PartitionTensor(v, (v + 1,) if v + 1 < n else (), nbytes, v + 1 == n) for v in range(n)]
    before = tuple((v - 1,) if v else () for v in range(n))
    return PartitionGraph(before, (False,) * n, tuple(tensors), tuple(f"n{v}" for v in range(n)), tuple(types))


def asked_chain(types: str, codes: Mapping[str, RejectCode], times: PlacementTimes | None = None) -> AskedGraph:
    """A chain on which types with a code are rejected, and all others claimed."""
    claimed = frozenset(v for v, t in enumerate(types) if t not in codes)
    rejected = {v: codes[t] for v, t in enumerate(types) if t in codes}
    return AskedGraph(chain(types), (Answers("d", claimed, rejected, times),))


def test_the_most_rewarding_comes_first() -> None:
    asked = asked_chain("cXcYcXYc", {"X": RejectCode.OPERATOR, "Y": RejectCode.DTYPE})
    found = what_if.what_if([asked], PartitionOptions(), ["n0", "n1", "n3", "n6"])
    shown = [(d.case.type, d.case.node, d.after.subgraphs, d.after.kernels, d.after.boundary_bytes) for d in found]
    assert shown == [
        ("X", "", 3, 6, 60),
        ("Y", "", 3, 6, 60),
        ("X", "n1", 3, 5, 60),
        ("Y", "n3", 3, 5, 60),
        ("Y", "n6", 4, 5, 80),
    ]
    assert {(d.before.subgraphs, d.before.kernels, d.before.boundary_bytes) for d in found} == {(4, 4, 80)}


@pytest.mark.parametrize("code", CODES)
def test_only_what_a_delegate_cannot_do_counts(code: RejectCode) -> None:
    found = what_if.what_if([asked_chain("cXc", {"X": code})], PartitionOptions(), ["n1"])
    choices = {"POLICY", "TOO_SMALL", "LIMIT", "COST", "COMPILE_FAILED", "NO_DEVICE"}
    assert len(found) == (0 if code.value in choices else 2)


def test_all_graphs_of_a_model_count_together() -> None:
    asked = [asked_chain("cXc", {"X": RejectCode.RANK}), asked_chain("XcX", {"X": RejectCode.SHAPE})]
    (difference,) = what_if.what_if(asked, PartitionOptions())
    assert difference.case.nodes == {0: (1,), 1: (0, 2)}
    assert difference.case.codes == {RejectCode.SHAPE: 2, RejectCode.RANK: 1}
    assert (difference.before.subgraphs, difference.after.subgraphs) == (3, 2)
    assert (difference.before.boundary_bytes, difference.after.boundary_bytes) == (60, 40)


def test_what_another_delegate_runs_is_no_case() -> None:
    first = Answers("one", frozenset({0}), {1: RejectCode.OPERATOR})
    second = Answers("two", frozenset({1}), {2: RejectCode.OPERATOR})
    found = what_if.what_if([AskedGraph(chain("AXY"), (first, second))], PartitionOptions())
    assert [(d.case.delegate, d.case.type) for d in found] == [("two", "Y")]


def test_a_delegate_may_take_what_a_later_one_has() -> None:
    """Supporting X, the first delegate would take both X, one of which the second runs now."""
    first = Answers("one", frozenset({0}), {1: RejectCode.OPERATOR, 2: RejectCode.OPERATOR})
    second = Answers("two", frozenset({1}), {2: RejectCode.DTYPE})
    found = what_if.what_if([AskedGraph(chain("AXX"), (first, second))], PartitionOptions())
    ours = next(d for d in found if d.case.delegate == "one")
    assert ours.case.nodes == {0: (1, 2)}
    assert (ours.before.subgraphs, ours.after.subgraphs) == (2, 1)
    assert (ours.before.kernels, ours.after.kernels) == (2, 3)


TIMES = PlacementTimes((10.0, 20.0, 30.0), (2.0, 0.0, 15.0), (1.0, 1.0, 1.0, 1.0), 5.0)


def test_time_on_the_device_is_the_share_that_the_claimed_nodes_have() -> None:
    (difference,) = what_if.what_if([asked_chain("cXc", {"X": RejectCode.RANK}, TIMES)], PartitionOptions())
    assert difference.before.time_us == (2 + 15) + 4 * 1 + 2 * 5 + 20
    ratio = (2 / 10 + 15 / 30) / 2
    assert difference.after.time_us == pytest.approx(2 + ratio * 20 + 15 + 2 * 1 + 5)


def test_without_claimed_nodes_nothing_says_that_the_device_is_faster() -> None:
    (difference,) = what_if.what_if([asked_chain("XXX", {"X": RejectCode.RANK}, TIMES)], PartitionOptions())
    assert (difference.before.time_us, difference.after.time_us) == (60, 60)
    assert difference.after.kernels == 0


def test_with_times_the_time_decides_which_comes_first() -> None:
    """X joins subgraphs and costs much on the CPU before and after; Y at the end saves more time."""
    times = PlacementTimes((10.0, 1.0, 10.0, 90.0), (1.0, 0.0, 1.0, 0.0), (0.0,) * 5, 0.0)
    codes = {"X": RejectCode.RANK, "Y": RejectCode.RANK}
    with_times = what_if.what_if([asked_chain("cXcY", codes, times)], PartitionOptions())
    without = what_if.what_if([asked_chain("cXcY", codes)], PartitionOptions())
    assert [d.case.type for d in with_times] == ["Y", "X"]
    assert [d.case.type for d in without] == ["X", "Y"]


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_times_are_those_of_the_subgraphs(data: st.DataObject) -> None:
    asked = data.draw(asked_by_one())
    n, us = len(asked.graph), st.integers(0, 20).map(float)
    times = PlacementTimes(
        tuple(data.draw(us) for _ in range(n)),
        tuple(data.draw(us) for _ in range(n)),
        tuple(data.draw(us) for _ in asked.graph.tensors),
        data.draw(us),
    )
    (answers,) = asked.answers
    timed = replace(asked, answers=(replace(answers, times=times),))
    taken = take_turns(timed, PartitionOptions())
    subgraphs = [nodes for _, nodes in taken.subgraphs]
    assert taken.time_us == pytest.approx(sum_of_subgraphs(times, asked.graph, subgraphs))


def test_each_delegate_has_its_own_times() -> None:
    one = Answers("one", frozenset({0}), {}, PlacementTimes((50.0, 60.0, 70.0), (1.0, 9.0, 9.0), (2.0,) * 4, 3.0))
    two = Answers("two", frozenset({1}), {}, PlacementTimes((50.0, 60.0, 70.0), (9.0, 4.0, 9.0), (5.0,) * 4, 6.0))
    taken = take_turns(AskedGraph(chain("ABC"), (one, two)), PartitionOptions())
    assert taken.subgraphs == (("one", (0,)), ("two", (1,)))
    assert taken.time_us == (1 + 2 * 2 + 3) + (4 + 2 * 5 + 6) + 70


def test_in_large_models_the_nodes_between_delegated_ones_are_tried_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(what_if, "MOST_NODES", 2)
    asked = asked_chain("XXcXcXXcXc", {"X": RejectCode.RANK})
    found = what_if.what_if([asked], PartitionOptions(), asked.graph.names)
    assert sorted(d.case.node for d in found if d.case.node) == ["n3", "n8"]
    monkeypatch.setattr(what_if, "NODE_WORK", len(asked.graph) - 1)
    assert [d.case.node for d in what_if.what_if([asked], PartitionOptions(), asked.graph.names)] == [""]
