"""Properties that every partition must have, checked for authors of delegates and partitioners."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

import networkx as nx

from ..basics.counted import counted
from ..basics.data_class import dataclass
from .crossing import boundary_bytes
from .graph import PartitionGraph
from .minimum import MinimumRuns, minimum_runs
from .options import PartitionOptions
from .planner import DEFAULTS, partition
from .result import Partition


class Property(StrEnum):
    """A property that a partition must have."""

    COVER = "cover"
    """Each node is in the order, once."""
    ORDER = "order"
    """Each node comes after its dependencies, and a subgraph's nodes stand side by side."""
    DISJOINT = "disjoint"
    """No node is in two subgraphs, and none is empty."""
    CLAIMS = "claims"
    """Subgraphs have claimed nodes only."""
    ACYCLIC = "acyclic"
    """No two subgraphs, or more, need each other's results."""
    CONVEX = "convex"
    """No path leaves a subgraph and comes back."""
    GROUPS = "groups"
    """Each group is in one subgraph, or in none."""
    COUNT = "count"
    """There are as many subgraphs as the bound says."""
    CERTIFICATE = "certificate"
    """The path that proves the bound is one of the graph, and has that many stretches of kept nodes."""
    LIMITS = "limits"
    """Subgraphs are neither too small, too large, too many, nor in parts where they must be connected."""
    REASONS = "reasons"
    """Each claimed node that is in no subgraph has a reason, and no other node has one."""
    BYTES = "bytes"
    """The boundary bytes equal the bytes that cross the subgraphs' boundaries."""
    SAME = "same"
    """The same question has the same answer."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A property that does not hold, and where."""

    property: Property
    message: str

    def __str__(self) -> str:
        return f"{self.property}: {self.message}"


def violations(
    graph: PartitionGraph,
    order: Sequence[int],
    subgraphs: Sequence[Sequence[int]],
    groups: Iterable[Iterable[int]] = (),
) -> list[Violation]:
    """Violations in subgraphs of a graph, whichever partitioner made them; empty, if they can run.

    Args:
        graph: nodes, dependencies and claims.
        order: the nodes in the order in which they are to run.
        subgraphs: the nodes of each.
        groups: nodes that must stay whole.

    Checks COVER, ORDER, DISJOINT, CLAIMS, ACYCLIC, CONVEX and GROUPS, in O(V + E) where subgraphs need not be blamed.
    """
    return [
        *_cover(graph, order),
        *_order(graph, order, subgraphs),
        *_disjoint(graph, subgraphs),
        *_claims(graph, subgraphs),
        *_cycles(graph, subgraphs),
        *_groups(graph, subgraphs, groups),
    ]


def partition_violations(
    graph: PartitionGraph, found: Partition, options: PartitionOptions = DEFAULTS
) -> list[Violation]:
    """Violations of any property in the result of ``partition`` for a graph and options, without a ``place``."""
    groups = _numbered(graph, options)
    problems = violations(graph, found.order, found.subgraphs, groups)
    if problems:
        return problems
    return [
        *count_violations(graph.with_claims(found.kept), found.minimum, len(found.runs), _may_exceed(options)),
        *_limits(graph, found, options),
        *(_connected(graph, found, groups) if options.connected else ()),
        *_reasons(graph, found),
        *_bytes(graph, found),
        *_same(graph, found, options),
    ]


def count_violations(
    graph: PartitionGraph, minimum: MinimumRuns, count: int, may_exceed: bool = False
) -> Iterator[Violation]:
    """Checks the number of subgraphs of all claimed nodes in ``graph``, and the proof that fewer will not do.

    Args:
        graph: claims are the nodes that are in subgraphs.
        minimum: the bound and its path, as found.
        count: the number of subgraphs.
        may_exceed: whether the number may exceed the bound, because of conditions that the bound ignores.
    """
    path, stretches = minimum.path, 0
    for i, node in enumerate(path):
        stretches += graph.claimed[node] and (i == 0 or not graph.claimed[path[i - 1]])
        if i and path[i - 1] not in graph.predecessors[node]:
            text = f"{graph.label(node)} does not depend on {graph.label(path[i - 1])}, which is before it on the path"
            yield Violation(Property.CERTIFICATE, text)
    if stretches != minimum.runs:
        yield Violation(
            Property.CERTIFICATE, f"the path forces {counted(stretches, 'subgraph')}, the bound is {minimum.runs}"
        )
    bound = minimum_runs(graph).runs
    if count < bound or (count > bound and not may_exceed) or bound != minimum.runs:
        yield Violation(
            Property.COUNT, f"{counted(count, 'subgraph')}, bound {minimum.runs}, the fewest possible are {bound}"
        )


def _numbered(graph: PartitionGraph, options: PartitionOptions) -> list[list[int]]:
    numbers = {name: v for v, name in enumerate(graph.names)}
    return [[numbers[name] for name in group if name in numbers] for group in options.groups]


def _may_exceed(options: PartitionOptions) -> bool:
    return options.connected or options.max_kernels_per_subgraph is not None or bool(options.groups)


def _cover(graph: PartitionGraph, order: Sequence[int]) -> Iterator[Violation]:
    times = [0] * len(graph)
    for node in order:
        if not 0 <= node < len(graph):
            yield Violation(Property.COVER, f"the order has a node {node}, the graph has {counted(len(graph), 'node')}")
        else:
            times[node] += 1
    for node, count in enumerate(times):
        if count != 1:
            yield Violation(Property.COVER, f"{graph.label(node)} is in the order {count} times")


def _order(graph: PartitionGraph, order: Sequence[int], subgraphs: Sequence[Sequence[int]]) -> Iterator[Violation]:
    position = {node: i for i, node in enumerate(order)}
    for node, before in enumerate(graph.predecessors):
        for p in before:
            if position.get(p, -1) > position.get(node, len(graph)):
                text = f"{graph.label(node)} runs before {graph.label(p)}, on which it depends"
                yield Violation(Property.ORDER, text)
    for number, nodes in enumerate(subgraphs):
        where = sorted(position[v] for v in nodes if v in position)
        if where and where[-1] - where[0] >= len(nodes):
            yield Violation(Property.ORDER, f"the nodes of subgraph {number} do not stand side by side in the order")


def _disjoint(graph: PartitionGraph, subgraphs: Sequence[Sequence[int]]) -> Iterator[Violation]:
    first: dict[int, int] = {}
    for number, nodes in enumerate(subgraphs):
        if not nodes:
            yield Violation(Property.DISJOINT, f"subgraph {number} has no node")
        for node in nodes:
            if node in first:
                where = f"subgraphs {first[node]} and {number}" if first[node] != number else f"subgraph {number} twice"
                yield Violation(Property.DISJOINT, f"{graph.label(node)} is in {where}")
            first[node] = number


def _claims(graph: PartitionGraph, subgraphs: Sequence[Sequence[int]]) -> Iterator[Violation]:
    for number, nodes in enumerate(subgraphs):
        for node in nodes:
            if not graph.claimed[node]:
                yield Violation(Property.CLAIMS, f"{graph.label(node)} is in subgraph {number} and is not claimed")


def _cycles(graph: PartitionGraph, subgraphs: Sequence[Sequence[int]]) -> Iterator[Violation]:
    """Violations by subgraphs that are not convex, and by subgraphs that depend on each other."""
    of = {node: ("subgraph", number) for number, nodes in enumerate(subgraphs) for node in nodes}
    part = [of.get(v, ("node", v)) for v in range(len(graph))]
    quotient: nx.DiGraph[tuple[str, int]] = nx.DiGraph(
        (part[p], part[v]) for v, before in enumerate(graph.predecessors) for p in before
    )
    quotient.remove_edges_from(list(nx.selfloop_edges(quotient)))
    if nx.is_directed_acyclic_graph(quotient):
        return
    whole: nx.DiGraph[int] = nx.DiGraph((p, v) for v, before in enumerate(graph.predecessors) for p in before)
    for cycle in nx.strongly_connected_components(quotient):
        numbers = sorted(number for kind, number in cycle if kind == "subgraph")
        if len(cycle) > 1 and len(numbers) > 1:
            yield Violation(Property.ACYCLIC, f"subgraphs {', '.join(map(str, numbers))} need each other's results")
        for number in numbers if len(cycle) > 1 else ():
            outside = _way_back(whole, [v for v in subgraphs[number] if v in whole])
            if outside is not None:
                text = f"a path leaves subgraph {number} and comes back through {graph.label(outside)}"
                yield Violation(Property.CONVEX, text)


def _way_back(whole: nx.DiGraph[int], members: Sequence[int]) -> int | None:
    """A node outside that is both below and above members; None without such a node."""
    below: set[int] = set()
    above: set[int] = set()
    for member in members:
        below |= nx.descendants(whole, member)
        above |= nx.ancestors(whole, member)
    return min((below & above).difference(members), default=None)


def _groups(
    graph: PartitionGraph, subgraphs: Sequence[Sequence[int]], groups: Iterable[Iterable[int]]
) -> Iterator[Violation]:
    of = {node: number for number, nodes in enumerate(subgraphs) for node in nodes}
    for group in groups:
        members = sorted(group)
        places = {of.get(node, -1) for node in members}
        if len(places) > 1:
            names = ", ".join(graph.label(node) for node in members)
            yield Violation(Property.GROUPS, f"{names} must stay whole and are in {len(places)} places")


def _limits(graph: PartitionGraph, found: Partition, options: PartitionOptions) -> Iterator[Violation]:
    least, most = options.min_kernels or 0, options.max_kernels_per_subgraph
    for number, nodes in enumerate(found.subgraphs):
        if len(nodes) < least or (most is not None and len(nodes) > most):
            text = (
                f"subgraph {number} has {counted(len(nodes), 'node')}, min_kernels is {least}, "
                f"max_kernels_per_subgraph {most}"
            )
            yield Violation(Property.LIMITS, text)
    if options.max_subgraphs is not None and len(found.runs) > options.max_subgraphs:
        text = f"it has {counted(len(found.runs), 'subgraph')}, max_subgraphs is {options.max_subgraphs}"
        yield Violation(Property.LIMITS, text)


def _connected(graph: PartitionGraph, found: Partition, groups: Sequence[Sequence[int]]) -> Iterator[Violation]:
    """Edges connect, and so do groups."""
    edges: nx.Graph[int] = nx.Graph((p, v) for v, before in enumerate(graph.predecessors) for p in before)
    edges.add_nodes_from(range(len(graph)))
    edges.add_edges_from((group[0], v) for group in groups for v in group)
    for number, nodes in enumerate(found.subgraphs):
        if not nx.is_connected(edges.subgraph(nodes)):
            yield Violation(Property.LIMITS, f"subgraph {number} is in parts that no edge connects")


def _reasons(graph: PartitionGraph, found: Partition) -> Iterator[Violation]:
    inside = {node for nodes in found.subgraphs for node in nodes}
    for node, claimed in enumerate(graph.claimed):
        if (claimed and node not in inside) != (node in found.dropped):
            state = "no reason" if claimed and node not in inside else "a reason, but is not left out"
            yield Violation(Property.REASONS, f"{graph.label(node)} has {state}")
        if found.kept[node] != (node in inside):
            yield Violation(Property.REASONS, f"{graph.label(node)} is {'' if found.kept[node] else 'not '}kept")


def _bytes(graph: PartitionGraph, found: Partition) -> Iterator[Violation]:
    crossing_bytes = boundary_bytes(graph, found.order, found.runs)
    if crossing_bytes != found.boundary_bytes:
        yield Violation(
            Property.BYTES,
            f"{counted(crossing_bytes, 'byte crosses', 'bytes cross')} boundaries, the partition says "
            f"{found.boundary_bytes}",
        )


def _same(graph: PartitionGraph, found: Partition, options: PartitionOptions) -> Iterator[Violation]:
    again = partition(graph, options)
    if again != found:
        yield Violation(Property.SAME, "the same graph and options gave another partition the second time")
