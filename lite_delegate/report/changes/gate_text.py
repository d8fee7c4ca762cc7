"""Requirements that a report does not meet, for people: the number found, and the nodes behind it."""

from __future__ import annotations

from collections.abc import Sequence

from ...basics.words.names import shorten
from ...basics.words.one_line import printable
from ...reporting.styles import Style
from ...reporting.terminal import painted, wrapped
from ..partition_data import PartitionData
from .diff import diff
from .diff_text import node_lines
from .gate import Unmet

MOST_NODES = 10
"""Nodes that are named; of more, how many there are is said."""


def unmet_text(unmet: Sequence[Unmet], report: PartitionData, baseline: PartitionData | None = None) -> str:
    """One line for each requirement; then the nodes that changed against the baseline, or else the nodes on the CPU.

    Args:
        unmet: at least one.
        report: the report with the unmet requirements.
        baseline: the earlier report, where there is one.
    """
    lines = [painted(each.to_text(), Style.BAD) for each in unmet]
    changed = () if baseline is None else diff(baseline, report).nodes
    if changed:
        return "\n".join([*lines, "nodes that changed against the baseline:", *node_lines(changed, MOST_NODES)])
    if baseline is not None:
        lines.append("no node changed against the baseline")
    return "\n".join([*lines, *_fallback(report)])


def _fallback(report: PartitionData) -> list[str]:
    left = report.fallback
    if not left:
        return ["no node stays on the CPU"]
    lines = ["nodes that stay on the CPU:"]
    for node in left[:MOST_NODES]:
        lines.append(f"  {shorten(node.name, 60)} ({shorten(node.type, 30)})")
        text = f"{node.code}: {printable(node.reason)}"
        lines.append(wrapped(text, first=" " * 6, rest=" " * 6))
    return lines if len(left) <= MOST_NODES else [*lines, f"  and {len(left) - MOST_NODES} more"]
