"""The cost of a placement: each subgraph reads all its inputs from the host and gives all outputs back.

This differs from the cut's sum where the device runs several subgraphs: a tensor that two of them read crosses twice,
and one that goes from subgraph to subgraph crosses out and in; and each subgraph has to be started.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief
from ..graph import PartitionGraph, runs_of
from ..minimum import minimum_runs, order_with_fewest_runs
from .times import PlacementTimes


@dataclass(frozen=True, slots=True)
class SubgraphCost(Brief):
    """Microseconds of one subgraph.

    Attributes:
        nodes: its nodes in execution order.
        host_us: the time of its nodes on the CPU.
        device_us: the time of its nodes on the device.
        transfer_us: the time of its transfers, in and out.
        launch_us: the time of its start.
    """

    nodes: tuple[int, ...]
    host_us: float
    device_us: float
    transfer_us: float
    launch_us: float

    @property
    def total_us(self) -> float:
        """From start to end on the device."""
        return self.device_us + self.transfer_us + self.launch_us

    @property
    def saved_us(self) -> float:
        """The time that it takes less than the CPU; negative where it takes more."""
        return self.host_us - self.total_us


@dataclass(frozen=True, slots=True)
class PlacementCost(Brief):
    """Microseconds of a whole graph.

    Attributes:
        subgraphs: in execution order.
        host_us: the nodes that are in none of them, on the CPU.
    """

    subgraphs: tuple[SubgraphCost, ...]
    host_us: float

    @property
    def transfer_us(self) -> float:
        """The time of all transfers."""
        return sum(s.transfer_us for s in self.subgraphs)

    @property
    def launch_us(self) -> float:
        """To start all subgraphs."""
        return sum(s.launch_us for s in self.subgraphs)

    @property
    def total_us(self) -> float:
        """Everything one after the other."""
        return self.host_us + sum(s.total_us for s in self.subgraphs)


def subgraph_costs(
    graph: PartitionGraph, times: PlacementTimes, order: Sequence[int], runs: Sequence[range]
) -> tuple[SubgraphCost, ...]:
    """The cost of each subgraph, for an execution order and the half-open ranges in it that are subgraphs."""
    run_of = [-1] * len(graph)
    for number, run in enumerate(runs):
        for position in run:
            run_of[order[position]] = number
    transfers = [0.0] * len(runs)
    for tensor, us in zip(graph.tensors, times.transfer_us, strict=True):
        made_in = -1 if tensor.producer is None else run_of[tensor.producer]
        read_in = {run_of[node] for node in tensor.consumers} | ({-1} if tensor.is_output else set())
        for number in read_in - {-1, made_in}:
            transfers[number] += us
        if made_in >= 0 and read_in - {made_in}:
            transfers[made_in] += us
    nodes = [tuple(order[r.start : r.stop]) for r in runs]
    return tuple(
        SubgraphCost(each, _sum(times.host_us, each), _sum(times.device_us, each), transfers[number], times.launch_us)
        for number, each in enumerate(nodes)
    )


def placement_cost(graph: PartitionGraph, times: PlacementTimes) -> PlacementCost:
    """The cost of a graph when the device has all that is claimed, in the order with the fewest subgraphs."""
    order = order_with_fewest_runs(graph, minimum_runs(graph))
    subgraphs = subgraph_costs(graph, times, order, runs_of(order, graph.claimed))
    return PlacementCost(subgraphs, host_sum(graph, times))


def host_sum(graph: PartitionGraph, times: PlacementTimes) -> float:
    """The nodes that are not claimed, on the CPU."""
    return sum(us for us, claimed in zip(times.host_us, graph.claimed, strict=True) if not claimed)


def _sum(us: Sequence[float], nodes: Sequence[int]) -> float:
    return sum(us[node] for node in nodes)
