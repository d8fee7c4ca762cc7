"""The record of a partition: who runs what, and why, as plain data."""

from .records import (
    CPU,
    DelegateRecord,
    NodeRecord,
    PartitionRecord,
    PlacementRecord,
    RemovedRecord,
    SourceRecord,
    SubgraphRecord,
    SubgraphStatus,
    TensorRecord,
    is_cpu,
)

__all__ = [
    "CPU",
    "DelegateRecord",
    "NodeRecord",
    "PartitionRecord",
    "PlacementRecord",
    "RemovedRecord",
    "SourceRecord",
    "SubgraphRecord",
    "SubgraphStatus",
    "TensorRecord",
    "is_cpu",
]
