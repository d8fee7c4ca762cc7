"""The estimated times of a model on a device and on the CPU, which AUTO weighs."""

from __future__ import annotations

from ...inference.model.status import Estimate
from ...runtime.records import PartitionRecord


def estimate_of(record: PartitionRecord) -> Estimate | None:
    """The estimated times of a model compiled for a device; None where the device or the CPU has no estimate.

    Args:
        record: the partition of the model.
    """
    on_device = [subgraph.estimated_us for subgraph in record.subgraphs]
    on_cpu = [node.host_us for node in record.nodes]
    if not on_device or None in on_device or None in on_cpu:
        return None
    left = sum(node.host_us or 0.0 for node in record.nodes if node.subgraph is None)
    return Estimate(sum(us or 0.0 for us in on_device) + left, sum(us or 0.0 for us in on_cpu))
