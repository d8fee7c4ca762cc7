"""What a model is expected to take on a device and on the CPU, as AUTO weighs them."""

from __future__ import annotations

from ...basics.data_class import dataclass
from ...runtime.records import PartitionRecord

CLEARLY = 2.0
"""The CPU's times are rough, and may well be longer: where it is this much quicker, it is quicker."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Expected microseconds of a run, transfers and starts included.

    Attributes:
        device_us: on the device, with what it leaves to the CPU.
        cpu_us: all on the CPU, by ``timing.roofline``.
    """

    device_us: float
    cpu_us: float

    @property
    def is_slower(self) -> bool:
        """True where the CPU is expected to be clearly quicker."""
        return self.cpu_us * CLEARLY < self.device_us

    def text(self, device: str) -> str:
        """One line for people."""
        return f"estimated {self.device_us:.1f} us a run on {device}, {self.cpu_us:.1f} us on the CPU"


def estimate_of(record: PartitionRecord) -> Estimate | None:
    """The estimate for a model compiled for a device; None where the device gives none, or the CPU's is not known.

    Args:
        record: its partition.
    """
    on_device = [subgraph.estimated_us for subgraph in record.subgraphs]
    on_cpu = [node.host_us for node in record.nodes]
    if not on_device or None in on_device or None in on_cpu:
        return None
    left = sum(node.host_us or 0.0 for node in record.nodes if node.subgraph is None)
    return Estimate(sum(us or 0.0 for us in on_device) + left, sum(us or 0.0 for us in on_cpu))
