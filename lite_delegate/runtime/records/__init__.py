"""The record of a partition as plain data: the device of each node, and the reason."""

from .alternatives import AlternativeRecord, CalibrationRecord
from .labels import NodeLabel, devices_of, in_file_names, labels_of, short_name, source_texts, sources_of
from .records import (
    CPU,
    CpuGroupRecord,
    DelegateRecord,
    FailureRecord,
    NamedNode,
    NodeRecord,
    PartitionRecord,
    PlacementRecord,
    RemovedRecord,
    RewriteRecord,
    SourceRecord,
    SubgraphRecord,
    SubgraphStatus,
    TensorRecord,
    is_cpu,
)

__all__ = [
    "AlternativeRecord",
    "CalibrationRecord",
    "CPU",
    "CpuGroupRecord",
    "DelegateRecord",
    "FailureRecord",
    "NodeLabel",
    "NamedNode",
    "NodeRecord",
    "PartitionRecord",
    "PlacementRecord",
    "RemovedRecord",
    "RewriteRecord",
    "SourceRecord",
    "SubgraphRecord",
    "SubgraphStatus",
    "TensorRecord",
    "devices_of",
    "in_file_names",
    "is_cpu",
    "labels_of",
    "short_name",
    "source_texts",
    "sources_of",
]
