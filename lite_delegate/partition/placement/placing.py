"""Placement by gain: the set of claimed nodes on the device with which the whole graph takes the least time.

1. Minimum cuts: the exact best when starting a subgraph costs nothing, and the same with the start charged to each
   tensor that enters the device, which is exact for chains.
2. Subgraphs that take more than the CPU, with transfers and start counted, go back to it, until none is left. The cost
   of a subgraph does not depend on the other subgraphs of the same order, so for an order this is the best choice among
   its subgraphs.
3. Nodes on the CPU are added again, one connected group at a time, where the sum becomes less: a group may join
   subgraphs, which saves a start.
4. Of all placements that were found, and of "everything claimed" and "nothing", the least sum is taken.

Steps 2 to 4 are no proof of the optimum where starts cost something; the sum is never more than with everything claimed
or with nothing. Where starts are free and the best cut is one subgraph, the placement is the optimum.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief
from ...delegate import RejectCode, Rejected
from ..graph import PartitionGraph
from .cost import PlacementCost, placement_cost
from .cut import best_cut
from .loss import Loss, losses
from .times import PlacementTimes

MAX_TRIES = 64
"""The most groups that are added again to see whether they join subgraphs; the most promising groups go first."""

NodeGroups = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Placement(Brief):
    """The nodes that the device keeps, and the time that each choice would take, in microseconds.

    Attributes:
        on_device: for each node, whether it is on the device.
        chosen: the time of the graph with this placement.
        all_claimed: the time of the graph with all claimed nodes on the device.
        cpu_us: the time of the graph without the device; infinite where the CPU has no kernel for a node.
        losses: the claimed nodes that stay on the CPU, in connected groups.
        source: the source of the figures.
    """

    on_device: tuple[bool, ...]
    chosen: PlacementCost
    all_claimed: PlacementCost
    cpu_us: float
    losses: tuple[Loss, ...]
    source: str

    @property
    def rejected(self) -> Mapping[int, Rejected]:
        """The claimed nodes that do not pay, each with the reason."""
        why = [(loss, Rejected(RejectCode.COST, loss.reason(self.source))) for loss in self.losses]
        return {node: reason for loss, reason in why for node in loss.nodes}


def place(graph: PartitionGraph, times: PlacementTimes, groups: NodeGroups = ()) -> Placement:
    """The placement for a graph whose claimed nodes may go to the device.

    Args:
        graph: nodes, edges, claims and all tensors that may cross.
        times: the times of the nodes and tensors.
        groups: groups of claimed nodes that stay on one device; disjoint.

    Raises:
        ValueError: the times do not fit the graph.
    """
    times.check(graph)
    search = _BestPlacement(graph, times)
    for entry_us in dict.fromkeys((0.0, times.launch_us)):
        search.settle(best_cut(graph, times, groups, entry_us=entry_us))
    search.settle(graph.claimed)
    search.settle([claimed and us == float("inf") for claimed, us in zip(graph.claimed, times.host_us, strict=True)])
    search.add_again(groups)
    everything = placement_cost(graph, times)
    found = tuple(map(search.checked, losses(graph, times, search.best)))
    return Placement(search.best, search.cost, everything, sum(times.host_us), found, times.source)


class _BestPlacement:
    """The best placement so far."""

    def __init__(self, graph: PartitionGraph, times: PlacementTimes) -> None:
        self._graph = graph
        self._times = times
        self.best: tuple[bool, ...] = ()
        self.cost = PlacementCost((), float("inf"))

    def keep(self, on_device: Sequence[bool], cost: PlacementCost) -> bool:
        """Takes a placement over if it is better than the best so far: takes less, or as much with fewer nodes."""
        best = (self.cost.total_us, sum(self.best))
        if self.best and (cost.total_us, sum(on_device)) >= best:
            return False
        self.best, self.cost = tuple(on_device), cost
        return True

    def settle(self, on_device: Sequence[bool]) -> bool:
        """Sends subgraphs back to the CPU that take more than it; whether a placement on the way is the best so far."""
        there = list(on_device)
        better = False
        while True:
            cost = placement_cost(self._graph.with_claims(there), self._times)
            better |= self.keep(there, cost)
            losing = {node for s in cost.subgraphs if s.saved_us <= 0 for node in s.nodes}
            if not losing:
                return better
            there = [each and node not in losing for node, each in enumerate(there)]

    def add_again(self, groups: NodeGroups) -> None:
        """Adds connected groups of lost nodes, one at a time, while one makes the sum less."""
        tries, better = MAX_TRIES, True
        while better:
            promising = self._promising()[:tries]
            tries -= len(promising)
            better = False
            for loss in promising:
                better |= self._with(_whole(loss.nodes, groups))

    def _with(self, nodes: Collection[int]) -> bool:
        """True if the best placement becomes better with these nodes; they are added to it then."""
        return self.settle([there or node in nodes for node, there in enumerate(self.best)])

    def checked(self, loss: Loss) -> Loss:
        """The loss with figures that explain it.

        Where a group seems to pay, because it is beside a subgraph, the order prevents the gain: the figures are then
        the figures of the whole graph with the group on the device.
        """
        if loss.stays_us <= loss.moves_us:
            return loss
        there = [there or node in loss.nodes for node, there in enumerate(self.best)]
        cost = placement_cost(self._graph.with_claims(there), self._times)
        return loss.beside(self.cost, cost)

    def _promising(self) -> list[Loss]:
        """The lost groups that may pay if only one of the subgraphs beside them needs a start; best first."""
        number = {node: i for i, subgraph in enumerate(self.cost.subgraphs) for node in subgraph.nodes}
        beside: dict[int, set[int]] = {}
        for tensor in self._graph.tensors:
            ends = [*tensor.consumers] if tensor.producer is None else [tensor.producer, *tensor.consumers]
            near = {number[node] for node in ends if node in number}
            for node in ends:
                beside.setdefault(node, set()).update(near)
        found: list[tuple[float, Loss]] = []
        for loss in losses(self._graph, self._times, self.best):
            near = set().union(*(beside.get(node, set()) for node in loss.nodes))
            gain = loss.stays_us - loss.moves_us + self._times.launch_us * max(0, len(near) - 1)
            if gain > 0:
                found.append((gain, loss))
        return [loss for _, loss in sorted(found, key=lambda pair: -pair[0])]


def _whole(nodes: Sequence[int], groups: NodeGroups) -> set[int]:
    """The nodes, and all of the groups that they touch."""
    chosen = set(nodes)
    for group in groups:
        if chosen.intersection(group):
            chosen.update(group)
    return chosen
