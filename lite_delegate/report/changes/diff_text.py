"""The difference between two partition reports as text for a terminal."""

from __future__ import annotations

from ...basics.words.names import shorten
from ...basics.words.one_line import printable
from ...reporting.styles import Style
from ...reporting.terminal import page, table, wrapped
from .diff import NodeChange, NodePlacement, NumberChange, ReportDiff, SubgraphChange
from .metrics import METRICS
from .summary import known_numbers, matched_text, number_rows, placement_text, type_text


def diff_text(diff: ReportDiff) -> str:
    """The numbers, then the changes: subgraphs, nodes, notes."""
    head = [_line("before", diff.before or "(in memory)"), _line("after", diff.after or "(in memory)")]
    if diff.delegate_before != diff.delegate_after:
        head.append(_line("delegate", f"{diff.delegate_before} -> {diff.delegate_after}"))
    if matched := matched_text(diff):
        head.append(_line("in both", matched))
    if diff.is_same:
        return "\n".join([*head, _line("changed", "nothing")])
    sections = ["\n".join(head), _numbers(diff)]
    if diff.subgraphs:
        sections.append("subgraphs that changed:\n" + _subgraphs(diff.subgraphs))
    if diff.nodes:
        sections.append("nodes that changed:\n" + "\n".join(node_lines(diff.nodes)))
    notes = [("+", note) for note in diff.notes_added] + [("-", note) for note in diff.notes_removed]
    if notes:
        sections.append("notes:\n" + "\n".join(_note(sign, note) for sign, note in notes))
    return "\n\n".join(sections)


def _line(word: str, text: str) -> str:
    return f"{word:<9} {shorten(text, page().columns - 10)}"


def _note(sign: str, note: str) -> str:
    return wrapped(printable(note), first=f"  {sign} ", rest="    ")


def _numbers(diff: ReportDiff) -> str:
    heads = ("", "before", "after", "change")
    styles = {"change": list(map(_style, known_numbers(diff)))}
    return table(heads, number_rows(diff), right=heads[1:], styles=styles)


def _style(number: NumberChange) -> Style | None:
    """The style of a change: of a better number, of a worse one, or none."""
    if number.before is None or number.after is None:
        return None
    gain = (number.after - number.before) * METRICS[number.name].better
    return None if gain == 0 else Style.GOOD if gain > 0 else Style.BAD


def _subgraphs(changes: tuple[SubgraphChange, ...]) -> str:
    rows = [
        (
            shorten(c.before or "(none)", 14),
            shorten(c.after or "(none)", 14),
            f"{c.kernels_before} -> {c.kernels_after}",
            f"{c.boundary_bytes_before:,} -> {c.boundary_bytes_after:,}",
            _estimates(c),
        )
        for c in changes
    ]
    return table(("before", "after", "kernels", "bytes", "estimated us"), rows)


def _estimates(change: SubgraphChange) -> str:
    metric = METRICS["estimated_us"]
    times = [
        "" if name is None else metric.text(time)
        for name, time in ((change.before, change.estimated_us_before), (change.after, change.estimated_us_after))
    ]
    return " -> ".join(times)


def node_lines(changes: tuple[NodeChange, ...], most: int | None = None) -> list[str]:
    """For each node where it ran and where it runs now; for a long list how many more there are.

    Args:
        changes: the nodes.
        most: how many are shown; None for all.
    """
    shown = changes if most is None else changes[:most]
    lines = [line for change in shown for line in _node(change)]
    return lines if len(shown) == len(changes) else [*lines, f"  and {len(changes) - len(shown)} more"]


def _node(change: NodeChange) -> list[str]:
    sign = "+" if change.before is None else "-" if change.after is None else "~"
    kind = f" ({shorten(type_text(change), 40)})"
    where = f" of graph {shorten(change.graph, 20)}" if change.graph else ""
    head = f"  {sign} {shorten(change.shown, page().columns - 4 - len(kind) - len(where))}{kind}{where}"
    return [head, *_placements(change.before, change.after)]


def _placements(before: NodePlacement | None, after: NodePlacement | None) -> list[str]:
    lines = []
    if before is not None:
        lines.append(_placement("before", before))
    if after is not None:
        lines.append(_placement("after", after))
    return lines


def _placement(word: str, placement: NodePlacement) -> str:
    text = placement_text(placement)
    return wrapped(text, first=f"      {word + ':':<8}", rest=" " * 14)
