"""What-if: the same as partitioning with the nodes really claimed; which cases there are, and in which order."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate import PartitionOptions, RejectCode
from lite_delegate.partition import PartitionGraph, PartitionTensor, partition
from lite_delegate.partition.placement import PlacementTimes
from lite_delegate.partition.what_if import best_sets, what_if
from lite_delegate.partition.what_if.asked import Answers, AskedGraph, Cause
from lite_delegate.partition.what_if.cases import Case, WhatIfKind
from lite_delegate.partition.what_if.trials import Difference
from lite_delegate.partition.what_if.turns import take_turns
from tests.partition.graphs import bytes_of, graphs
from tests.partition.placement.graphs import sum_of_subgraphs
from tests.partition.test_planner import options_for

CODES = tuple(RejectCode)
CAUSES = st.builds(Cause, st.sampled_from(["", "rank up to 4", "few"]), st.sampled_from(["", "INT64"]), st.booleans())


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
    rejected = rejections(draw, graph, claimed)
    causes = {v: draw(CAUSES) for v in rejected if draw(st.booleans())}
    return AskedGraph(nothing_claimed(graph), (Answers("d", claimed, rejected, causes=causes),))


def supposed(asked: AskedGraph, difference: Difference) -> set[int]:
    """The nodes that a case speaks of, by its words."""
    (answers,) = asked.answers
    case = difference.case
    return {v for v in answers.rejected if any(is_meant(asked, v, part) for part in case.parts or (case,))}


def is_meant(asked: AskedGraph, node: int, case: Case) -> bool:
    """Whether a case that is no set speaks of a node."""
    (answers,) = asked.answers
    code, cause = answers.rejected[node], answers.causes.get(node, Cause())
    able = code.value in ("OPERATOR", "ATTRIBUTE", "DTYPE", "SHAPE", "RANK", "NOT_CONSTANT")
    if cause.wants_shapes or not (able or (code.value == "LIMIT" and cause.rule)):
        return False
    graph = asked.graph
    match case.kind:
        case WhatIfKind.OPERATOR:
            return graph.types[node] == case.name
        case WhatIfKind.NODE:
            return graph.names[node] == case.name
        case WhatIfKind.DTYPE:
            return cause.dtype == case.name
    return code.value != "OPERATOR" and cause.rule == case.name and [code] == list(case.codes)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_it_is_what_partitioning_with_the_nodes_claimed_gives(data: st.DataObject) -> None:
    asked = data.draw(asked_by_one())
    options = data.draw(options_for(asked.graph))
    (answers,) = asked.answers
    for difference in what_if.what_if([asked], options, asked.graph.names).differences:
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
    found = what_if.what_if([asked], PartitionOptions(), path, 1).differences
    able = {v for v in answers.rejected if is_meant(asked, v, the_node(asked.graph.names[v]))}
    causes = {v: answers.causes.get(v, Cause()) for v in able}
    codes = {v: answers.rejected[v] for v in able}

    def named(kind: WhatIfKind) -> list[str]:
        return sorted(d.case.name for d in found if d.case.kind is kind)

    assert named(WhatIfKind.OPERATOR) == sorted({asked.graph.types[v] for v in able})
    assert named(WhatIfKind.NODE) == sorted(asked.graph.names[v] for v in able if v % 2 == 0)
    assert named(WhatIfKind.DTYPE) == sorted({causes[v].dtype for v in able} - {""})
    rules = {(codes[v], causes[v].rule) for v in able if codes[v] is not RejectCode.OPERATOR}
    assert named(WhatIfKind.RULE) == sorted(rule for _, rule in rules)
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


def node_of(difference: Difference) -> str:
    return difference.case.name if difference.case.kind is WhatIfKind.NODE else ""


def of_type(found: what_if.Found, name: str) -> Difference:
    (difference,) = (d for d in found.differences if (d.case.kind, d.case.name) == (WhatIfKind.OPERATOR, name))
    return difference


def the_node(name: str) -> Case:
    return Case("d", WhatIfKind.NODE, name, "", {}, {})


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
    found = what_if.what_if([asked], PartitionOptions(), ["n0", "n1", "n3", "n6"], 1)
    named = [d for d in found.differences if d.case.kind in (WhatIfKind.OPERATOR, WhatIfKind.NODE)]
    shown = [(d.case.type, node_of(d), d.after.subgraphs, d.after.kernels, d.after.boundary_bytes) for d in named]
    assert shown == [
        ("X", "", 3, 6, 60),
        ("Y", "", 3, 6, 60),
        ("X", "n1", 3, 5, 60),
        ("Y", "n3", 3, 5, 60),
        ("Y", "n6", 4, 5, 80),
    ]
    assert {(d.before.subgraphs, d.before.kernels, d.before.boundary_bytes) for d in found.differences} == {(4, 4, 80)}


@pytest.mark.parametrize("code", CODES)
def test_only_what_a_delegate_cannot_do_counts(code: RejectCode) -> None:
    found = what_if.what_if([asked_chain("cXc", {"X": code})], PartitionOptions(), ["n1"])
    choices = {"POLICY", "TOO_SMALL", "LIMIT", "COST", "COMPILE_FAILED", "NO_DEVICE"}
    kinds = ["node", "operator"] if code is RejectCode.OPERATOR else ["node", "operator", "rule"]
    assert sorted(d.case.kind for d in found.differences) == ([] if code.value in choices else kinds)


def test_all_graphs_of_a_model_count_together() -> None:
    asked = [asked_chain("cXc", {"X": RejectCode.RANK}), asked_chain("XcX", {"X": RejectCode.SHAPE})]
    difference = of_type(what_if.what_if(asked, PartitionOptions()), "X")
    assert difference.case.nodes == {0: (1,), 1: (0, 2)}
    assert difference.case.codes == {RejectCode.SHAPE: 2, RejectCode.RANK: 1}
    assert (difference.before.subgraphs, difference.after.subgraphs) == (3, 2)
    assert (difference.before.boundary_bytes, difference.after.boundary_bytes) == (60, 40)


def test_what_another_delegate_runs_is_no_case() -> None:
    first = Answers("one", frozenset({0}), {1: RejectCode.OPERATOR})
    second = Answers("two", frozenset({1}), {2: RejectCode.OPERATOR})
    found = what_if.what_if([AskedGraph(chain("AXY"), (first, second))], PartitionOptions())
    assert [(d.case.delegate, d.case.type) for d in found.differences] == [("two", "Y")]


def test_a_delegate_may_take_what_a_later_one_has() -> None:
    """Supporting X, the first delegate would take both X, one of which the second runs now."""
    first = Answers("one", frozenset({0}), {1: RejectCode.OPERATOR, 2: RejectCode.OPERATOR})
    second = Answers("two", frozenset({1}), {2: RejectCode.DTYPE})
    found = what_if.what_if([AskedGraph(chain("AXX"), (first, second))], PartitionOptions())
    ours = next(d for d in found.differences if d.case.delegate == "one")
    assert ours.case.nodes == {0: (1, 2)}
    assert (ours.before.subgraphs, ours.after.subgraphs) == (2, 1)
    assert (ours.before.kernels, ours.after.kernels) == (2, 3)


TIMES = PlacementTimes((10.0, 20.0, 30.0), (2.0, 0.0, 15.0), (1.0, 1.0, 1.0, 1.0), 5.0)


def test_time_on_the_device_is_the_share_that_the_claimed_nodes_have() -> None:
    found = what_if.what_if([asked_chain("cXc", {"X": RejectCode.RANK}, TIMES)], PartitionOptions())
    difference = of_type(found, "X")
    assert difference.before.time_us == (2 + 15) + 4 * 1 + 2 * 5 + 20
    ratio = (2 / 10 + 15 / 30) / 2
    assert difference.after.time_us == pytest.approx(2 + ratio * 20 + 15 + 2 * 1 + 5)


def test_without_claimed_nodes_nothing_says_that_the_device_is_faster() -> None:
    found = what_if.what_if([asked_chain("XXX", {"X": RejectCode.RANK}, TIMES)], PartitionOptions())
    difference = of_type(found, "X")
    assert (difference.before.time_us, difference.after.time_us) == (60, 60)
    assert difference.after.kernels == 0


def test_with_times_the_time_decides_which_comes_first() -> None:
    """X joins subgraphs and costs much on the CPU before and after; Y at the end saves more time."""
    times = PlacementTimes((10.0, 1.0, 10.0, 90.0), (1.0, 0.0, 1.0, 0.0), (0.0,) * 5, 0.0)
    codes = {"X": RejectCode.RANK, "Y": RejectCode.RANK}
    with_times = what_if.what_if([asked_chain("cXcY", codes, times)], PartitionOptions())
    without = what_if.what_if([asked_chain("cXcY", codes)], PartitionOptions())
    assert [d.case.name for d in with_times.differences if d.case.kind is WhatIfKind.OPERATOR] == ["Y", "X"]
    assert [d.case.name for d in without.differences if d.case.kind is WhatIfKind.OPERATOR] == ["X", "Y"]


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
    assert sorted(filter(None, map(node_of, found.differences))) == ["n3", "n8"]
    monkeypatch.setattr(what_if, "NODE_WORK", len(asked.graph) - 1)
    found = what_if.what_if([asked], PartitionOptions(), asked.graph.names)
    assert not any(map(node_of, found.differences))


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_the_best_sets_are_the_best_of_all_sets_of_so_many(data: st.DataObject) -> None:
    """Small graphs have few things, so that every set is tried; here by partitioning once more for each."""
    asked = data.draw(asked_by_one())
    (answers,) = asked.answers
    found = what_if.what_if([asked], PartitionOptions(), (), 3)
    singles = {d.case.members: d for d in found.differences if d.case.kind is not WhatIfKind.SET}
    sets = {len(d.case.parts): d for d in found.differences if d.case.kind is WhatIfKind.SET}

    def gain(nodes: frozenset[tuple[int, int]]) -> tuple[int, int, int]:
        claimed = answers.claimed | {node for _, node in nodes}
        graph = asked.graph.with_claims([v in claimed for v in range(len(asked.graph))])
        partitioned = partition(graph, PartitionOptions())
        numbers = len(partitioned.subgraphs), bytes_of(graph, partitioned.subgraphs), -sum(partitioned.kept)
        return numbers if answers.claimed else (numbers[2], *numbers[:2])

    best = min(map(gain, singles), default=None)
    for size in (2, 3):
        unions = [frozenset().union(*parts) for parts in combinations(singles, size) if every_part_counts(parts)]
        of_size = min(map(gain, unions), default=None)
        if best is not None and of_size is not None and of_size < best:
            best = of_size
            assert gain(sets[size].case.members) == best
            assert sets[size].case.members == frozenset().union(*(part.members for part in sets[size].case.parts))
        else:
            assert size not in sets


def every_part_counts(parts: Sequence[frozenset[tuple[int, int]]]) -> bool:
    return all(part - frozenset().union(*(p for p in parts if p is not part)) for part in parts)


def test_two_that_are_worth_nothing_alone_are_found_together() -> None:
    """Between c and c there are always X and Y: one of them alone joins nothing."""
    found = what_if.what_if([asked_chain("cXYcXYc", {"X": RejectCode.RANK, "Y": RejectCode.DTYPE})], PartitionOptions())
    first = found.differences[0]
    assert (first.case.kind, first.before.subgraphs, first.after.subgraphs) == (WhatIfKind.SET, 3, 1)
    assert {part.type for part in first.case.parts} == {"X", "Y"}


def test_where_there_are_many_one_is_added_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """More things than sets may be tried: what was best so far stays in the set."""
    monkeypatch.setattr(best_sets, "LEAST_TRIES", 4)
    monkeypatch.setattr(best_sets, "SET_WORK", 0)
    codes = dict.fromkeys("VWXY", RejectCode.OPERATOR)
    found = what_if.what_if([asked_chain("cXcXcYcVWc", codes)], PartitionOptions(), (), 2)
    first = found.differences[0]
    assert [part.name for part in first.case.parts] == ["X", "Y"]
    assert (first.before.subgraphs, first.after.subgraphs) == (5, 2)


def test_what_known_shapes_would_change_is_no_case_but_told() -> None:
    asked = asked_chain("cXcY", {"X": RejectCode.SHAPE, "Y": RejectCode.RANK})
    (answers,) = asked.answers
    waits = replace(asked, answers=(replace(answers, causes={1: Cause(wants_shapes=True)}),))
    found = what_if.what_if([waits], PartitionOptions(), asked.graph.names)
    assert found.waiting == ("n1",)
    assert {d.case.type for d in found.differences} == {"Y"}
    assert what_if.what_if([asked], PartitionOptions()).waiting == ()
