"""The best placement of nodes on two devices when starting a subgraph costs nothing: a minimum cut.

Each node is on the host or on the device and costs its time there. A tensor that is made on one side and read on the
other costs its transfer once, however many nodes read it there; inputs and outputs of the graph are on the host. The
total cost is the capacity of a cut between two terminals, the host and the device (H. S. Stone, "Multiprocessor
Scheduling with the Aid of Network Flow Algorithms", 1977); a tensor of several readers gets an auxiliary node for each
direction, so that it counts once: the cut severs the one edge between the auxiliary node and the maker.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..graph import PartitionGraph, PartitionTensor
from .times import PlacementTimes

HOST, DEVICE = 0, 1
"""The terminals, and the units of nodes that cannot be on the other side."""
STEPS_PER_US = 1_000_000
"""Capacities are integers, so that equal sums are equal: picoseconds."""


def best_cut(
    graph: PartitionGraph,
    times: PlacementTimes,
    groups: Sequence[Sequence[int]] = (),
    *,
    entry_us: float = 0.0,
) -> tuple[bool, ...]:
    """For each node, whether it is on the device, so that the sum of all times is least.

    Claimed nodes without CPU kernel are on the device, nodes that are not claimed on the host. Of several best
    placements it is the one with fewest nodes on the device.

    Args:
        graph: nodes, claims and tensors.
        times: of them; ``launch_us`` does not count here.
        groups: of claimed nodes that stay together.
        entry_us: to be paid on top for each tensor that enters the device.
    """
    units = _units(graph, times, groups)
    flow = _Network()
    for node, unit in enumerate(units):
        if unit not in (HOST, DEVICE):
            flow.side(unit, times.host_us[node], times.device_us[node])
    auxiliary = len(graph) + 2
    for tensor, us in zip(graph.tensors, times.transfer_us, strict=True):
        flow.cross(tensor, units, us, us + entry_us, auxiliary)
        auxiliary += 2
    on_device = flow.device_side()
    return tuple(unit in on_device for unit in units)


def _units(graph: PartitionGraph, times: PlacementTimes, groups: Sequence[Sequence[int]]) -> list[int]:
    """The unit of each node in the network: a terminal, or a number that a group shares."""
    units = [node + 2 if claimed else HOST for node, claimed in enumerate(graph.claimed)]
    for node, claimed in enumerate(graph.claimed):
        if claimed and times.host_us[node] == float("inf"):
            units[node] = DEVICE
    for group in groups:
        shared = DEVICE if any(units[node] == DEVICE for node in group) else min(units[node] for node in group)
        for node in group:
            units[node] = shared
    return units


class _Network:
    """Capacities between units. Units on the device's side of the cut run on the device."""

    def __init__(self) -> None:
        self._bias: Counter[int] = Counter()
        self._edges: Counter[tuple[int, int]] = Counter()
        self._ties: list[tuple[int, int]] = []

    def side(self, unit: int, host_us: float, device_us: float) -> None:
        """Adds the cost of a unit on either side. Only the difference matters."""
        self._bias[unit] += round(host_us * STEPS_PER_US) - round(device_us * STEPS_PER_US)

    def cross(
        self, tensor: PartitionTensor, units: Sequence[int], leave_us: float, enter_us: float, auxiliary: int
    ) -> None:
        """Adds the cost of a tensor when its maker and one of its readers are on different sides."""
        maker = HOST if tensor.producer is None else units[tensor.producer]
        readers = {units[node] for node in tensor.consumers} | ({HOST} if tensor.is_output else set())
        readers.discard(maker)
        self._enter(maker, sorted(readers - {HOST}), round(enter_us * STEPS_PER_US), auxiliary)
        self._leave(maker, sorted(readers - {DEVICE}), round(leave_us * STEPS_PER_US), auxiliary + 1)

    def _enter(self, maker: int, readers: Sequence[int], capacity: int, auxiliary: int) -> None:
        """Paid where the maker is on the host and a reader is on the device."""
        if maker == DEVICE or not readers:
            return
        target = readers[0] if len(readers) == 1 or readers[0] == DEVICE else auxiliary
        self._edges[maker, target] += capacity
        if target == auxiliary:
            self._ties.extend((auxiliary, reader) for reader in readers)

    def _leave(self, maker: int, readers: Sequence[int], capacity: int, auxiliary: int) -> None:
        """Paid where the maker is on the device and a reader is on the host."""
        if maker == HOST or not readers:
            return
        source = readers[0] if len(readers) == 1 or readers[0] == HOST else auxiliary
        self._edges[source, maker] += capacity
        if source == auxiliary:
            self._ties.extend((reader, auxiliary) for reader in readers)

    def device_side(self) -> set[int]:
        """The units on the device, as few as a minimum cut allows."""
        import networkx as nx  # here, because it takes long to import
        from networkx.algorithms.flow import preflow_push

        graph: nx.DiGraph[int] = nx.DiGraph()
        graph.add_nodes_from((HOST, DEVICE))
        capacities = self._edges + self._sides()
        graph.add_weighted_edges_from(((a, b, us) for (a, b), us in capacities.items()), weight="capacity")
        graph.add_edges_from(self._ties)  # edges without a capacity are never cut
        _, (_, device) = nx.minimum_cut(graph, HOST, DEVICE, flow_func=preflow_push)
        return set(device)

    def _sides(self) -> Counter[tuple[int, int]]:
        """The extra costs of units on one side over the other, as edges that are cut when they are there."""
        return Counter({(unit, DEVICE) if bias > 0 else (HOST, unit): abs(bias) for unit, bias in self._bias.items()})
