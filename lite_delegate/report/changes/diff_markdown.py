"""The difference between two partition reports as Markdown with GitHub's tables."""

from __future__ import annotations

from ...reporting.forms import forms
from ...reporting.markdown import escaped, table
from .diff import NodeChange, ReportDiff, SubgraphChange
from .diff_text import diff_text
from .metrics import METRICS
from .summary import matched_text, number_rows, placement_text, type_text

_SUBGRAPH = ("before", "after", "kernels", "bytes", "estimated us", "gained", "lost")
_NODE = ("node", "type", "before", "after")


def diff_markdown(diff: ReportDiff) -> str:
    """The numbers, then the changes: subgraphs, nodes, notes."""
    sections = ["# Partition reports compared", table(("", ""), _head(diff))]
    if diff.is_same:
        return "\n\n".join([*sections, "Nothing changed."])
    sections.append(table(("", "before", "after", "change"), number_rows(diff), right=(1, 2, 3)))
    if diff.subgraphs:
        sections += ["## Subgraphs", table(_SUBGRAPH, [_subgraph(change) for change in diff.subgraphs])]
    if diff.nodes:
        sections += ["## Nodes", table(_NODE, [_node(change) for change in diff.nodes])]
    notes = [f"- added: {escaped(note)}" for note in diff.notes_added]
    notes += [f"- removed: {escaped(note)}" for note in diff.notes_removed]
    if notes:
        sections += ["## Notes", "\n".join(notes)]
    return "\n\n".join(sections)


def _head(diff: ReportDiff) -> list[tuple[str, str]]:
    matched = matched_text(diff)
    return [
        ("before", f"{diff.before or '(in memory)'}, delegate {diff.delegate_before}"),
        ("after", f"{diff.after or '(in memory)'}, delegate {diff.delegate_after}"),
        *([("in both", matched)] if matched else []),
    ]


def _subgraph(change: SubgraphChange) -> tuple[str, ...]:
    metric = METRICS["estimated_us"]
    return (
        change.before or "(none)",
        change.after or "(none)",
        f"{change.kernels_before} → {change.kernels_after}",
        f"{change.boundary_bytes_before:,} → {change.boundary_bytes_after:,}",
        f"{metric.text(change.estimated_us_before)} → {metric.text(change.estimated_us_after)}",
        ", ".join(change.gained),
        ", ".join(change.lost),
    )


def _node(change: NodeChange) -> tuple[str, ...]:
    before, after = ("(not there)" if each is None else placement_text(each) for each in (change.before, change.after))
    return change.shown, type_text(change), before, after


DIFF_RENDERERS = forms(diff_text, markdown=diff_markdown)
"""The forms of ``ReportDiff``."""
