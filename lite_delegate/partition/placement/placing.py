"""Placement by gain: the set of claimed nodes on the device with which the whole graph takes least.

1. Minimum cuts: the exact best when starting a subgraph costs nothing, and the same with the start charged to each
   tensor that enters the device, which is exact for chains.
2. Subgraphs that take more than the CPU, with transfers and start counted, go back to it, until none is left. What a
   subgraph costs does not depend on the others in the same order, so for an order this is the best choice among its
   subgraphs.
3. What stays on the CPU is added again, one connected group at a time, where that makes the sum less: it may join
   subgraphs, which saves a start.
4. Of all that was found, and of "everything claimed" and "nothing", the one with the least sum is taken.

Steps 2 to 4 are no proof of the optimum where starts cost something; the sum is never more than that of everything
claimed or of nothing. Where starts are free and the cut's best is one subgraph, it is the optimum.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ...basics.data_class import dataclass
from ...delegate import RejectCode, Rejected
from ..graph import PartitionGraph
from .cost import PlacementCost, placement_cost
from .cut import best_cut
from .loss import Loss, losses
from .times import PlacementTimes

MAX_TRIES = 64
"""Groups that are added again to see whether they join subgraphs; those that look best go first."""

Groups = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Placement:
    """The nodes that the device keeps, and the time that each choice would take, in microseconds.

    Attributes:
        on_device: for each node.
        chosen: what it takes like this.
        all_claimed: what it takes when the device has everything that it claims.
        cpu_us: what it takes without the device; infinite where the CPU has no kernel for a node.
        losses: the claimed nodes that stay on the CPU, connected ones together.
        source: where the figures come from.
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


def place(graph: PartitionGraph, times: PlacementTimes, groups: Groups = ()) -> Placement:
    """The placement for a graph whose claimed nodes may go to the device.

    Args:
        graph: nodes, edges, claims and all tensors that may cross.
        times: of them.
        groups: of claimed nodes that stay on one device; disjoint.

    Raises:
        ValueError: the times are not those of the graph.
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

    def add_again(self, groups: Groups) -> None:
        """Adds connected groups of lost nodes, one at a time, while one makes the sum less."""
        tries, better = MAX_TRIES, True
        while better:
            promising = self._promising()[:tries]
            tries -= len(promising)
            better = False
            for loss in promising:
                better |= self._with(_whole(loss.nodes, groups))

    def _with(self, nodes: Collection[int]) -> bool:
        """True if the best placement becomes better with these nodes; it has them then."""
        return self.settle([there or node in nodes for node, there in enumerate(self.best)])

    def checked(self, loss: Loss) -> Loss:
        """A loss whose figures tell why it is one.

        Where a group seems to pay, because it is beside a subgraph, it is the order that prevents it: the figures are
        then those of the whole graph with the group on the device.
        """
        if loss.stays_us <= loss.moves_us:
            return loss
        there = [there or node in loss.nodes for node, there in enumerate(self.best)]
        cost = placement_cost(self._graph.with_claims(there), self._times)
        return loss.beside(self.cost, cost)

    def _promising(self) -> list[Loss]:
        """Lost groups that may pay if each subgraph beside them but one needs no start of its own; best first."""
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


def _whole(nodes: Sequence[int], groups: Groups) -> set[int]:
    """The nodes, and all of the groups that they touch."""
    chosen = set(nodes)
    for group in groups:
        if chosen.intersection(group):
            chosen.update(group)
    return chosen
