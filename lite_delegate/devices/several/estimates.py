"""What a model is expected to take on a device and on the CPU, as AUTO weighs them."""

from __future__ import annotations

from ...inference.model.status import Estimate
from ...runtime.records import PartitionRecord


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
