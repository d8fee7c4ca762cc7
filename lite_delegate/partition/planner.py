"""The partitioner: from claims and options to an order, subgraphs and a reason for each node that is left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from ..delegate import Rejected
from .crossing import boundary_bytes
from .graph import PartitionGraph, runs_of
from .minimum import minimum_runs, order_with_fewest_runs
from .options import PartitionOptions
from .policy import refused_by_policy
from .result import Partition

Place: TypeAlias = Callable[[PartitionGraph, Sequence[Sequence[int]]], Mapping[int, Rejected]]
"""Placement by gain: the claimed nodes that do not pay, each with the reason. It is handed the graph with what is
claimed so far, and the groups of nodes (two or more each, disjoint, all claimed) that must stay on one device."""
Worth: TypeAlias = Callable[[Sequence[int]], float]
"""How much a subgraph of these nodes is worth, where only some may stay."""

DEFAULTS = PartitionOptions()


def partition(
    graph: PartitionGraph,
    options: PartitionOptions = DEFAULTS,
    *,
    place: Place | None = None,
    worth: Worth = len,
) -> Partition:
    """Splits a graph between a delegate, which claims some of its nodes, and the CPU.

    Args:
        graph: nodes, edges and claims; with tensors where boundary bytes matter.
        options: limits, lists and groups. Nodes that they name and the graph does not have are left aside
            (``check_words`` tells).
        place: placement by gain, applied after allow and deny lists and before all limits; None: all claims stay.
        worth: which subgraphs ``max_subgraphs`` keeps: those worth most; by default those with most nodes.
    """
    dropped: dict[int, Rejected] = refused_by_policy(graph, options)
    graph = _without(graph, dropped)
    if place is not None:
        dropped.update(place(graph, ()))
        graph = _without(graph, dropped)
    minimum = minimum_runs(graph)
    order = order_with_fewest_runs(graph, minimum)
    runs = runs_of(order, graph.claimed)
    return Partition(tuple(order), tuple(runs), graph.claimed, minimum, dropped, boundary_bytes(graph, order, runs))


def _without(graph: PartitionGraph, dropped: Mapping[int, Rejected]) -> PartitionGraph:
    if not any(graph.claimed[node] for node in dropped):
        return graph
    return graph.with_claims([claimed and node not in dropped for node, claimed in enumerate(graph.claimed)])
