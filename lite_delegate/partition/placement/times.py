"""Times that placement by gain works with: microseconds of nodes and of tensors that cross."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief
from ..graph import PartitionGraph


@dataclass(frozen=True, slots=True)
class PlacementTimes(Brief):
    """Microseconds for one ``PartitionGraph``.

    Attributes:
        host_us: the time of each node on the CPU; infinite where the CPU has no kernel for it.
        device_us: the time of each node on the device; any number where the node is not claimed.
        transfer_us: the time of one crossing, in either direction, for each of ``PartitionGraph.tensors``.
        launch_us: the time to start a subgraph.
        source: the source of the figures in words: "estimates", "CPU measured, device estimated".
    """

    host_us: tuple[float, ...]
    device_us: tuple[float, ...]
    transfer_us: tuple[float, ...] = ()
    launch_us: float = 0.0
    source: str = "estimates"

    def check(self, graph: PartitionGraph) -> None:
        """Checks that the times belong to a graph.

        Raises:
            ValueError: too many or too few of them, or one that is negative or not a number; a transfer or launch that
                is infinite; a node that is not claimed and infinite on the CPU.
        """
        _check("host times", self.host_us, len(graph), "nodes")
        _check("device times", self.device_us, len(graph), "nodes")
        _check("transfer times", self.transfer_us, len(graph.tensors), "tensors")
        if not all(map(math.isfinite, (*self.transfer_us, self.launch_us))) or self.launch_us < 0:
            raise ValueError(f"transfers and launch must take finite times, launch is {self.launch_us} us")
        for node, (us, claimed) in enumerate(zip(self.host_us, graph.claimed, strict=True)):
            if us == math.inf and not claimed:
                raise ValueError(f"{graph.label(node)} is not claimed and takes infinitely long on the CPU")


def _check(what: str, times: Sequence[float], expected: int, things: str) -> None:
    if len(times) != expected:
        raise ValueError(f"{expected} {things}, but {len(times)} {what}")
    wrong = next((t for t in times if not t >= 0), None)
    if wrong is not None:
        raise ValueError(f"{what} must be 0 us or more, found {wrong}")
