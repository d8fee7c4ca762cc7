"""Groups of nodes that stay whole: each becomes one node of a smaller graph, or is given up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush

from ..basics.counted import counted
from ..basics.data_class import dataclass
from ..delegate import RejectCode, Rejected
from .graph import PartitionGraph, PartitionTensor


@dataclass(frozen=True, slots=True)
class Contraction:
    """A graph in which groups are nodes.

    Attributes:
        graph: the smaller graph.
        members: for each of its nodes the nodes that it stands for, ascending; None where each stands for itself.
        rejected: the claimed nodes of groups that are given up, each with the reason; not claimed in ``graph``.
    """

    graph: PartitionGraph
    members: tuple[tuple[int, ...], ...] | None
    rejected: Mapping[int, Rejected]

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The groups that are held whole."""
        return tuple(m for m in self.members or () if len(m) > 1)

    @property
    def weights(self) -> list[int]:
        """For each node of ``graph`` the number of nodes that it stands for."""
        return [1] * len(self.graph) if self.members is None else list(map(len, self.members))

    def expanded(self, nodes: Iterable[int]) -> list[int]:
        """The nodes that nodes of ``graph`` stand for."""
        return list(nodes) if self.members is None else [v for node in nodes for v in self.members[node]]

    def shortened(self, order: Sequence[int]) -> list[int]:
        """The order of ``graph`` that an order of the nodes that it stands for gives."""
        if self.members is None:
            return list(order)
        of = {v: number for number, nodes in enumerate(self.members) for v in nodes}
        return list(dict.fromkeys(of[v] for v in order))


def contract(graph: PartitionGraph, groups: Sequence[Iterable[int]]) -> Contraction:
    """The graph with each group as one node.

    Groups that share a node are one group. Where a path leaves a group and comes back, the claimed nodes on the path
    join the group; so do other groups that cannot run before or after it. A group is given up, and all its nodes
    rejected, when one of its nodes, or a node on such a path, is not claimed.
    """
    found = _joined([sorted(set(group)) for group in groups])
    claims = _Claims(graph)
    while True:
        for group in found:
            claims.reject_unclaimed(group)
        found = [group for group in found if claims.claimed[group[0]]]
        quotient = _Quotient(graph, claims.claimed, found)
        order = quotient.order()
        if order is not None:
            small = quotient.graph_in(order)
            return Contraction(small, tuple(tuple(quotient.members[s]) for s in order), claims.rejected)
        for cycle in quotient.cycles():
            inside = sorted(v for s in cycle for v in quotient.members[s])
            if all(claims.claimed[v] for v in inside):
                found.append(inside)
            else:
                claims.reject_between([quotient.members[s] for s in cycle if len(quotient.members[s]) > 1][-1], inside)
        found = _joined(found)


class _Claims:
    """The claims while groups are given up, and the reasons."""

    def __init__(self, graph: PartitionGraph) -> None:
        self.graph = graph
        self.claimed = list(graph.claimed)
        self.rejected: dict[int, Rejected] = {}

    def reject_unclaimed(self, group: Sequence[int]) -> None:
        """Gives up a group if one of its nodes is not claimed."""
        outside = next((v for v in group if not self.claimed[v]), None)
        if outside is not None:
            text = (
                f"its group of {counted(len(group), 'node')} stays whole, and "
                f"{self.graph.label(outside)} of it stays on the CPU"
            )
            self._reject(group, text)

    def reject_between(self, group: Sequence[int], inside: Sequence[int]) -> None:
        """Gives up a group of a cycle for which a node is to blame that is not claimed."""
        between = next(v for v in inside if not self.claimed[v])
        text = (
            f"its group of {counted(len(group), 'node')} cannot run as a whole: "
            f"{self.graph.label(between)}, which stays on the "
        )
        self._reject(group, text + "CPU, would have to run in the middle of it")

    def _reject(self, group: Sequence[int], reason: str) -> None:
        for v in group:
            if self.claimed[v]:
                self.rejected[v] = Rejected(RejectCode.POLICY, reason)
                self.claimed[v] = False


def _joined(groups: Sequence[Sequence[int]]) -> list[list[int]]:
    """Groups of which no two share a node, in the order of their first nodes; single nodes are none."""
    joined: dict[int, list[int]] = {}
    for group in groups:
        together = {id(joined[v]): joined[v] for v in group if v in joined}
        merged = sorted({*group, *(v for other in together.values() for v in other)})
        joined.update(dict.fromkeys(merged, merged))
    return sorted({id(g): g for g in joined.values() if len(g) > 1}.values())


class _Quotient:
    """Nodes and groups as nodes, in any order: it may have cycles."""

    def __init__(self, graph: PartitionGraph, claimed: Sequence[bool], groups: Sequence[Sequence[int]]) -> None:
        self.graph, self.claimed = graph, claimed
        first = {v: group[0] for group in groups for v in group}
        numbers: dict[int, int] = {}
        self.of = [numbers.setdefault(first.get(v, v), len(numbers)) for v in range(len(graph))]
        self.members: list[list[int]] = [[] for _ in numbers]
        for v, s in enumerate(self.of):
            self.members[s].append(v)
        self.before = [
            {self.of[p] for v in members for p in graph.predecessors[v]} - {s} for s, members in enumerate(self.members)
        ]

    def order(self) -> list[int] | None:
        """An executable order, near the given order; None where a cycle exists."""
        waits_for = [len(before) for before in self.before]
        followers: list[list[int]] = [[] for _ in self.before]
        for s, before in enumerate(self.before):
            for p in before:
                followers[p].append(s)
        ready = [s for s, count in enumerate(waits_for) if not count]
        heapify(ready)
        order: list[int] = []
        while ready:
            order.append(heappop(ready))
            for s in followers[order[-1]]:
                waits_for[s] -= 1
                if not waits_for[s]:
                    heappush(ready, s)
        return order if len(order) == len(self.before) else None

    def cycles(self) -> list[list[int]]:
        """The sets of nodes of which each must run before each other, by their first nodes."""
        import networkx as nx  # here, because it takes long to import and cycles are rare

        whole = nx.DiGraph((p, s) for s, before in enumerate(self.before) for p in before)
        return sorted(sorted(c) for c in nx.strongly_connected_components(whole) if len(c) > 1)

    def graph_in(self, order: Sequence[int]) -> PartitionGraph:
        """The graph with its nodes numbered in an executable order."""
        number = {s: i for i, s in enumerate(order)}
        of = [number[s] for s in self.of]
        before = tuple(tuple(sorted(number[p] for p in self.before[s])) for s in order)
        claimed = tuple(self.claimed[self.members[s][0]] for s in order)
        tensors = (_tensor(tensor, of) for tensor in self.graph.tensors)
        return PartitionGraph(before, claimed, tuple(t for t in tensors if t.consumers or t.is_output))


def _tensor(tensor: PartitionTensor, of: Sequence[int]) -> PartitionTensor:
    producer = None if tensor.producer is None else of[tensor.producer]
    consumers = tuple(sorted({of[v] for v in tensor.consumers} - {-1 if producer is None else producer}))
    return PartitionTensor(producer, consumers, tensor.nbytes, tensor.is_output)
