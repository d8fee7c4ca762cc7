"""Search for the placements on several devices with the least time.

1. Each device alone with all nodes that it can run; other nodes on the host, or on a device that can run them.
2. For each two devices the minimum cut between them (Stone, 1977), as ``placement.cut`` finds it: with starts free, and
   charged to each tensor that enters the second. Where starts are free and only two devices can run the nodes, that is
   exact.
3. From the best of these on, as long as a step gains: the minimum cut between two devices of the nodes on either while
   all other nodes stay (the alpha-beta swap of Boykov, Veksler and Zabih, "Fast Approximate Energy Minimization via
   Graph Cuts", 2001), and moves of whole runs to other devices, which saves starts.

``mixed_cost`` estimates the time of each placement; a placement slower than the best single device is not returned.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations

from ...basics.data_class import dataclass
from ..graph import PartitionGraph, PartitionTensor
from ..placement.cut import best_cut
from ..placement.times import PlacementTimes
from .cost import device_runs, mixed_cost
from .times import HOST, MixedTimes

MOST_NODES = 40_000
"""Nodes of all placements that are reckoned, together: for a fraction of a second."""
FEWEST_LOOKS = 50
"""The number of placements that are estimated, where needed, for the largest graphs, too."""

Devices = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MixedPlacement:
    """A placement.

    Attributes:
        devices: of each node, by number.
        us: microseconds that the graph takes with it.
    """

    devices: Devices
    us: float


def alone(times: MixedTimes, device: int) -> Devices:
    """The placement of one device with all nodes that it can run; other nodes on the host, or on the first device that
    can run them.
    """
    found = []
    for node in range(len(times.node_us)):
        there = times.runs_on(node)
        found.append(device if device in there else HOST if HOST in there else there[0])
    return tuple(found)


def best_placements(
    graph: PartitionGraph, times: MixedTimes, groups: Sequence[Sequence[int]] = (), most: int = 2
) -> list[MixedPlacement]:
    """The placements that take less than the best device alone, the best first, then the best device alone.

    Args:
        graph: nodes, edges and all tensors that may cross; its claims do not count.
        times: the times of the nodes and tensors.
        groups: groups of nodes that stay together, disjoint.
        most: the number of better placements that are wanted.

    Raises:
        ValueError: the times do not fit the graph.
    """
    times.check(graph)
    if not len(graph):
        return [MixedPlacement((), 0.0)]
    search = _PlacementSearch(graph, times, groups)
    for device in times.devices:
        search.look(alone(times, device))
    single = search.best
    for a, b in permutations(times.devices, 2):
        start = tuple(b if b in there and a not in there else d for d, there in search.two(a, b))
        for entry_us in dict.fromkeys((0.0, times.start_us[b])):
            search.look(search.swapped(start, a, b, entry_us))
    search.descend()
    found = sorted((us, devices) for devices, us in search.seen.items() if us < single.us)
    return [*(MixedPlacement(devices, us) for us, devices in found[:most]), single]


class _PlacementSearch:
    """The placements that were tried, with their times."""

    def __init__(self, graph: PartitionGraph, times: MixedTimes, groups: Sequence[Sequence[int]]) -> None:
        self._graph, self._times = graph, times
        self._group_of = {node: tuple(group) for group in groups for node in group}
        self._groups = groups
        self._looks = max(FEWEST_LOOKS, MOST_NODES // len(graph))
        self.seen: dict[Devices, float] = {}

    @property
    def best(self) -> MixedPlacement:
        """The one that takes least so far."""
        devices = min(self.seen, key=lambda each: (self.seen[each], each))
        return MixedPlacement(devices, self.seen[devices])

    @property
    def _is_done(self) -> bool:
        return len(self.seen) >= self._looks

    def look(self, devices: Devices) -> float:
        """The time of a placement; infinite where a node cannot run there, and once the limit of placements was
        reached.
        """
        if devices not in self.seen:
            if self._is_done or any(t[d] == math.inf for t, d in zip(self._times.node_us, devices, strict=True)):
                return math.inf
            self.seen[devices] = mixed_cost(self._graph, self._times, devices)
        return self.seen[devices]

    def two(self, a: int, b: int) -> Iterator[tuple[int, list[int]]]:
        """For each node the first device's placement, and where it can run."""
        return zip(alone(self._times, a), map(self._times.runs_on, range(len(self._graph))), strict=True)

    def descend(self) -> None:
        """Changes the best placement as long as it gains."""
        before = math.inf
        while self.best.us < before and not self._is_done:
            before = self.best.us
            for a, b in combinations(self._times.devices, 2):
                self.look(self.swapped(self.best.devices, a, b, 0.0))
            for changed in self._moved(self.best.devices):
                self.look(changed)

    def _moved(self, devices: Devices) -> Iterator[Devices]:
        """The placement with one run, or the nodes of one group, elsewhere."""
        runs = device_runs(self._graph, devices)
        for nodes in [*sorted(runs, key=len), *self._groups]:
            whole = {other for node in nodes for other in self._group_of.get(node, (node,))}
            for device in self._times.devices:
                yield tuple(device if node in whole else old for node, old in enumerate(devices))

    def swapped(self, devices: Devices, a: int, b: int, entry_us: float) -> Devices:
        """The placement with the nodes of two devices placed anew on the two, by a minimum cut."""
        times = self._times
        free = [node for node, device in enumerate(devices) if device in (a, b)]
        number = {node: i for i, node in enumerate(free)}
        tensors = tuple(_within(self._graph.tensors, number, ends=a == HOST))
        part = PartitionGraph(
            tuple(() for _ in free), tuple(times.node_us[node][b] < math.inf for node in free), tensors
        )
        byte_us = times.byte_us[a] + times.byte_us[b]
        us = PlacementTimes(
            tuple(times.node_us[node][a] for node in free),
            tuple(times.node_us[node][b] for node in free),
            tuple(tensor.nbytes * byte_us for tensor in tensors),
        )
        groups = [[number[node] for node in group if node in number] for group in self._groups]
        there = best_cut(part, us, [group for group in groups if group], entry_us=entry_us)
        changed = list(devices)
        for node, on_b in zip(free, there, strict=True):
            changed[node] = b if on_b else a
        return tuple(changed)


def _within(tensors: Sequence[PartitionTensor], number: dict[int, int], *, ends: bool) -> Iterator[PartitionTensor]:
    """The tensors of nodes that have numbers, with these; inputs and outputs of the graph where its ``ends`` count."""
    for tensor in tensors:
        readers = tuple(number[node] for node in tensor.consumers if node in number)
        made = None if tensor.producer is None else number.get(tensor.producer)
        is_input, is_output = ends and tensor.producer is None, ends and tensor.is_output
        if (readers and (made is not None or is_input)) or (made is not None and is_output):
            yield PartitionTensor(made, readers, tensor.nbytes, is_output)
