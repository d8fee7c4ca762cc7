"""The partitioner: from claims and options to an order, subgraphs and a reason for each node that is left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import TypeAlias

from ..delegate import Rejected
from .contraction import Contraction, contract
from .crossing import boundary_bytes
from .cutting import cut
from .graph import PartitionGraph, runs_of
from .limits import Worth, over_limits, over_size
from .minimum import MinimumRuns, minimum_runs
from .options import PartitionOptions
from .orders.orders import best_order
from .policy import rejected_by_policy
from .result import Partition

Place: TypeAlias = Callable[[PartitionGraph, Sequence[Sequence[int]]], Mapping[int, Rejected]]
"""Placement by gain: the claimed nodes that do not pay, each with the reason. The arguments are the graph with the
claims so far, and the groups of nodes (two or more each, disjoint, all claimed) that must stay on one device."""

DEFAULTS = PartitionOptions()


def partition(
    graph: PartitionGraph,
    options: PartitionOptions = DEFAULTS,
    *,
    place: Place | None = None,
    worth: Worth = len,
) -> Partition:
    """Splits a graph between a delegate, which claims some of its nodes, and the CPU.

    In this order: allow and deny lists, groups, placement by gain, the order with the fewest runs, the cuts that
    ``connected`` and ``max_kernels_per_subgraph`` ask for, ``min_kernels``, ``max_subgraphs``. Nodes that are left out
    may free the remaining nodes, so order and cuts are made anew for these until no more nodes are left out.

    Args:
        graph: nodes, edges and claims; with tensors where boundary bytes matter.
        options: limits, lists and groups. Nodes that they name and the graph does not have are left aside
            (``check_words`` tells).
        place: placement by gain; None: all claims stay.
        worth: the worth of a subgraph: ``max_subgraphs`` keeps the subgraphs of most worth; by default the most nodes.
    """
    planner = _Planner(graph, options)
    contraction = planner.allowed()
    if place is not None:
        planner.drop(place(planner.graph, contraction.groups))
        contraction = planner.contraction()
    if options.max_kernels_per_subgraph is not None:
        units = [contraction.expanded([node]) for node in range(len(contraction.graph))]
        planner.drop(over_size([unit for unit in units if planner.graph.claimed[unit[0]]], options))
    while True:
        subgraphs, order = planner.subgraphs()
        rejected = over_limits(subgraphs, options, worth)
        if not rejected:
            return planner.result(subgraphs, order)
        planner.drop(rejected)


def allowed(graph: PartitionGraph, options: PartitionOptions) -> PartitionGraph:
    """The graph with the claims that lists and groups leave, from which placement by gain chooses."""
    planner = _Planner(graph, options)
    planner.allowed()
    return planner.graph


class _Planner:
    """A graph whose claims get fewer, and why."""

    def __init__(self, graph: PartitionGraph, options: PartitionOptions) -> None:
        self.graph, self.options = graph, options
        self.dropped: dict[int, Rejected] = {}
        self.groups = _groups(graph, options)
        self.minimum = MinimumRuns(0, (), ())
        self.last_order: list[int] = []

    def drop(self, rejected: Mapping[int, Rejected]) -> None:
        """Takes nodes off the delegate. The first reason for a node stays."""
        if rejected:
            self.dropped = dict(rejected) | self.dropped
            self.graph = self.graph.with_claims(
                [claimed and node not in rejected for node, claimed in enumerate(self.graph.claimed)]
            )

    def allowed(self) -> Contraction:
        """The claims that lists and groups leave."""
        self.drop(rejected_by_policy(self.graph, self.options))
        return self.contraction()

    def contraction(self) -> Contraction:
        """The graph with its groups as nodes; nodes that groups lose are dropped."""
        if not self.groups:
            return Contraction(self.graph, None, {})
        contraction = contract(self.graph, self.groups)
        self.drop(contraction.rejected)
        return contraction

    def subgraphs(self) -> tuple[list[list[int]], list[int]]:
        """The nodes of each subgraph in the best order found, and that order."""
        contraction = self.contraction()
        small, weights = contraction.graph, contraction.weights
        minimum, hint = minimum_runs(small), contraction.shortened(self.last_order)
        order = best_order(small, minimum, weights, self.options.min_kernels or 0, hint)
        self.minimum = minimum_runs(self.graph) if self.groups else minimum
        subgraphs: list[list[int]] = []
        new: list[int] = []
        done = 0
        for run in runs_of(order, small.claimed):
            new += order[done : run.start]
            pieces = cut(small, order[run.start : run.stop], weights, self.options)
            new += chain.from_iterable(pieces)
            subgraphs += map(contraction.expanded, pieces)
            done = run.stop
        self.last_order = contraction.expanded([*new, *order[done:]])
        return subgraphs, self.last_order

    def result(self, subgraphs: Sequence[Sequence[int]], order: Sequence[int]) -> Partition:
        """The partition, once nothing more is dropped."""
        position = {node: i for i, node in enumerate(order)}
        runs = tuple(range(position[nodes[0]], position[nodes[0]] + len(nodes)) for nodes in subgraphs)
        return Partition(
            order=tuple(order),
            runs=runs,
            kept=self.graph.claimed,
            minimum=self.minimum,
            dropped=MappingProxyType(self.dropped),
            boundary_bytes=boundary_bytes(self.graph, order, runs),
        )


def _groups(graph: PartitionGraph, options: PartitionOptions) -> list[list[int]]:
    """The groups by number; without the nodes that the graph does not have."""
    if not options.groups:
        return []
    numbers = {name: node for node, name in enumerate(graph.names)}
    return [sorted(numbers[name] for name in group if name in numbers) for group in options.groups]
