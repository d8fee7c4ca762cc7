"""Reports on a built model: data first, renderers beside it."""

from .partition_report import PartitionReport, partition_report

__all__ = ["PartitionReport", "partition_report"]
