"""The forms in which a partition report can be written: one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .diff import ReportDiff
from .diff_markdown import diff_markdown
from .diff_text import diff_text
from .partition_report import PartitionReport

RENDERERS: Mapping[str, Callable[[PartitionReport], str]] = {
    "text": PartitionReport.to_text,
    "json": PartitionReport.to_json,
    "markdown": PartitionReport.to_markdown,
    "dot": PartitionReport.to_dot,
    "html": PartitionReport.to_html,
}
"""By the name of the format; the first is the default."""

DIFF_RENDERERS: Mapping[str, Callable[[ReportDiff], str]] = {
    "text": diff_text,
    "json": ReportDiff.to_json,
    "markdown": diff_markdown,
}
"""The same for the difference between two reports."""
