"""Times of nodes on several devices, the host among them."""

from __future__ import annotations

import math

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ..graph import PartitionGraph

HOST = 0
"""The host's number: its nodes are no subgraph, and take no start and no transfer."""


@dataclass(frozen=True, slots=True)
class MixedTimes:
    """Microseconds for one ``PartitionGraph``, whose claims do not count.

    Attributes:
        node_us: for each node, on each device, the host first; infinite where it cannot run there.
        start_us: of a subgraph, on each device.
        byte_us: of a byte that enters or leaves a subgraph, on each device.
    """

    node_us: tuple[tuple[float, ...], ...]
    start_us: tuple[float, ...]
    byte_us: tuple[float, ...]

    @property
    def devices(self) -> range:
        """The devices' numbers."""
        return range(len(self.start_us))

    def runs_on(self, node: int) -> list[int]:
        """The devices that can run a node."""
        return [device for device in self.devices if self.node_us[node][device] < math.inf]

    def check(self, graph: PartitionGraph) -> None:
        """Checks that the times belong to a graph.

        Raises:
            ValueError: too many or too few, one that is negative or not a number, an infinite start or byte, the host
                with a start, or a node that runs nowhere.
        """
        count = len(self.start_us)
        if len(self.node_us) != len(graph) or len(self.byte_us) != count or any(len(t) != count for t in self.node_us):
            raise ValueError(
                f"{counted(len(graph), 'node')} and {counted(count, 'device')}, but times of other numbers"
            )
        fixed = (*self.start_us, *self.byte_us)
        if not all(us >= 0 for times in (*self.node_us, fixed) for us in times):
            raise ValueError("times must be 0 us or more")
        if not all(map(math.isfinite, fixed)) or not fixed or self.start_us[HOST] or self.byte_us[HOST]:
            raise ValueError("starts and bytes must take finite times, and none on the host")
        for node in range(len(graph)):
            if not self.runs_on(node):
                raise ValueError(f"{graph.label(node)} runs on no device")
