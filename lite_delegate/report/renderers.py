"""The forms in which partition reports, and differences between two, can be written."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .changes.diff import ReportDiff
from .changes.diff_markdown import diff_markdown
from .changes.diff_text import diff_text
from .dot import report_dot
from .html import report_page
from .markdown import report_markdown
from .partition_data import PartitionData
from .text import report_text

RENDERERS: Mapping[str, Callable[[PartitionData], str]] = {
    "text": report_text,
    "json": PartitionData.to_json,
    "markdown": report_markdown,
    "dot": report_dot,
    "html": report_page,
}
"""By the name of the format; the first is the default."""

DIFF_RENDERERS: Mapping[str, Callable[[ReportDiff], str]] = {
    "text": diff_text,
    "json": ReportDiff.to_json,
    "markdown": diff_markdown,
}
"""The same for the difference between two reports."""
