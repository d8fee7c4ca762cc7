"""Gain: placement by gain in the form that the partitioner asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...basics.words.one_line import OneLine
from ...delegate import Rejected
from ..graph import PartitionGraph
from .cost import subgraph_costs
from .placing import Placement, place
from .times import PlacementTimes


class Gain(OneLine):
    """``place`` and ``worth`` of ``partition``: the object itself, and its method. Keeps the placement it came to.

    Args:
        graph: the graph that is partitioned.
        times: of its nodes and tensors.
    """

    def __init__(self, graph: PartitionGraph, times: PlacementTimes) -> None:
        self._graph = graph
        self._times = times
        self.placement: Placement | None = None

    def __call__(self, graph: PartitionGraph, groups: Sequence[Sequence[int]]) -> Mapping[int, Rejected]:
        """The claimed nodes that do not pay, each with the reason."""
        self.placement = place(graph, self._times, groups)
        return self.placement.rejected

    def worth(self, nodes: Sequence[int]) -> float:
        """Microseconds that a subgraph saves."""
        return subgraph_costs(self._graph, self._times, nodes, [range(len(nodes))])[0].saved_us
