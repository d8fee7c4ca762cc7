"""What-if: a delegate takes what it rejects now; the graphs are partitioned again, as if it claimed it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..delegate import RejectCode
from .graph import PartitionGraph
from .options import PartitionOptions
from .turns import NOTHING, AskedGraph, Claims, Taken, take_turns

ABILITY = frozenset(
    {
        RejectCode.OPERATOR,
        RejectCode.ATTRIBUTE,
        RejectCode.DTYPE,
        RejectCode.SHAPE,
        RejectCode.RANK,
        RejectCode.NOT_CONSTANT,
    }
)
"""Codes of what a delegate cannot do. The others are choices, limits and failures, which support would not change."""
MOST_NODES = 64
"""Single nodes that are tried."""
NODE_WORK = 100_000
"""Fewer single nodes are tried in large models: as many times the nodes of the model as make this."""


@dataclass(frozen=True, slots=True)
class Totals:
    """A partition in numbers.

    Attributes:
        subgraphs: how many.
        kernels: nodes in them.
        boundary_bytes: that cross their boundaries.
        time_us: what the model takes: an estimate, None where it is not known.
    """

    subgraphs: int
    kernels: int
    boundary_bytes: int
    time_us: float | None


@dataclass(frozen=True, slots=True)
class Case:
    """Nodes that a delegate rejects, and is supposed to take.

    Attributes:
        delegate: its name.
        type: their operator type.
        node: the name of the node, "" for all nodes of the type.
        nodes: for each graph by number, the nodes in it.
        codes: why they are rejected, and how many for each code.
    """

    delegate: str
    type: str
    node: str
    nodes: Mapping[int, tuple[int, ...]]
    codes: Mapping[RejectCode, int]


@dataclass(frozen=True, slots=True)
class Difference:
    """The changes that a case would bring."""

    case: Case
    before: Totals
    after: Totals

    @property
    def rank(self) -> tuple[float, int, int, int]:
        """A sort key; the largest gain comes first: time where it is known, then subgraphs, bytes, kernels."""
        before, after = self.before, self.after
        known = before.time_us is not None and after.time_us is not None
        time = (after.time_us or 0.0) - (before.time_us or 0.0) if known else 0.0
        return (
            time,
            after.subgraphs - before.subgraphs,
            after.boundary_bytes - before.boundary_bytes,
            before.kernels - after.kernels,
        )


def what_if(
    asked: Sequence[AskedGraph], options: PartitionOptions, path: Collection[str] = ()
) -> tuple[Difference, ...]:
    """For each operator type that a delegate rejects, and each such node of a path, what would be if it took it.

    Each graph with such nodes is partitioned again, with the same options and answers otherwise. The most rewarding
    case comes first.

    Args:
        asked: the graphs of a model.
        options: what the user asked of the partitioner.
        path: names of nodes that are looked at one by one: those that force the number of subgraphs.
    """
    base = [take_turns(each, options) for each in asked]
    before = _totals(base)
    taken = [{node for _, nodes in each.subgraphs for node in nodes} for each in base]
    cases = [*_types(asked, taken), *_chosen(asked, list(_nodes(asked, taken, path)), taken)]
    found = (Difference(case, before, _totals(_with(asked, options, base, case))) for case in cases)
    return tuple(sorted(found, key=lambda difference: difference.rank))


def _with(asked: Sequence[AskedGraph], options: PartitionOptions, base: Sequence[Taken], case: Case) -> list[Taken]:
    def claims(number: int) -> Claims:
        return {case.delegate: case.nodes[number]} if number in case.nodes else NOTHING

    return [
        take_turns(each, options, claims(number)) if number in case.nodes else base[number]
        for number, each in enumerate(asked)
    ]


def _totals(taken: Iterable[Taken]) -> Totals:
    each = list(taken)
    times = [t.time_us for t in each if t.time_us is not None]
    return Totals(
        sum(len(t.subgraphs) for t in each),
        sum(t.kernels for t in each),
        sum(t.boundary_bytes for t in each),
        sum(times) if len(times) == len(each) else None,
    )


def _rejected(asked: Sequence[AskedGraph]) -> Iterator[tuple[str, int, int, RejectCode]]:
    """Delegate, graph, node and code of what support would change."""
    delegates = dict.fromkeys(answers.delegate for each in asked for answers in each.answers)
    for delegate in delegates:
        for number, each in enumerate(asked):
            for answers in each.answers:
                if answers.delegate == delegate:
                    yield from (
                        (delegate, number, node, code)
                        for node, code in sorted(answers.rejected.items())
                        if code in ABILITY
                    )


def _types(asked: Sequence[AskedGraph], taken: Sequence[Collection[int]]) -> list[Case]:
    """One case for each delegate and type of which it rejects a node that no delegate runs."""
    found: dict[tuple[str, str], list[tuple[int, int, RejectCode]]] = {}
    for delegate, number, node, code in _rejected(asked):
        found.setdefault((delegate, asked[number].graph.types[node]), []).append((number, node, code))
    return [
        _case(delegate, type_, "", each)
        for (delegate, type_), each in found.items()
        if any(node not in taken[number] for number, node, _ in each)
    ]


def _nodes(asked: Sequence[AskedGraph], taken: Sequence[Collection[int]], path: Collection[str]) -> Iterator[Case]:
    """One case for each delegate and node of the path that it rejects and no delegate runs."""
    names = set(path)
    for delegate, number, node, code in _rejected(asked):
        graph = asked[number].graph
        if graph.names[node] in names and node not in taken[number]:
            yield _case(delegate, graph.types[node], graph.names[node], [(number, node, code)])


def _case(delegate: str, type_: str, name: str, nodes: Sequence[tuple[int, int, RejectCode]]) -> Case:
    by_graph: dict[int, list[int]] = {}
    for number, node, _ in nodes:
        by_graph.setdefault(number, []).append(node)
    codes = Counter(code for _, _, code in nodes)
    return Case(
        delegate,
        type_,
        name,
        {number: tuple(each) for number, each in by_graph.items()},
        {code: codes[code] for code in RejectCode if codes[code]},
    )


def _chosen(asked: Sequence[AskedGraph], cases: Sequence[Case], taken: Sequence[Collection[int]]) -> Sequence[Case]:
    """As many single nodes as are tried; first those between delegated nodes, which alone can join two subgraphs."""
    total = max(1, sum(len(each.graph) for each in asked))
    most = min(MOST_NODES, NODE_WORK // total)
    if len(cases) <= most:
        return cases
    between = [_between(each.graph, there) for each, there in zip(asked, taken, strict=True)]
    return sorted(cases, key=lambda case: not any(set(v) <= between[number] for number, v in case.nodes.items()))[:most]


def _between(graph: PartitionGraph, taken: Collection[int]) -> set[int]:
    """The nodes that follow one in a subgraph, and that one in a subgraph follows."""
    behind = {v for v, before in enumerate(graph.predecessors) if any(p in taken for p in before)}
    before = {p for v in taken for p in graph.predecessors[v]}
    return behind & before
