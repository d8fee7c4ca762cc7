"""Phrases of reports and of differences between them that several renderers use."""

from __future__ import annotations

from .diff import NumberChange, Placement, ReportDiff
from .metrics import METRICS
from .names import printable
from .partition_report import PartitionReport


def bound_text(report: PartitionReport) -> str:
    """What is to be said of the number of subgraphs: whether there could be fewer."""
    if not report.subgraphs:
        return "nothing is delegated"
    if len(report.subgraphs) > report.minimum_subgraphs:
        return f"an order with {report.minimum_subgraphs} exists"
    return "the fewest possible"


def placement_text(placement: Placement) -> str:
    """Where a node runs, and on the CPU why."""
    if placement.code is None:
        return printable(placement.device)
    return f"{printable(placement.device)}, {placement.code}: {printable(placement.reason)}"


def number_rows(diff: ReportDiff) -> list[tuple[str, str, str, str]]:
    """Label, before, after and change of each number that one of the reports knows."""
    return [
        (metric.label, metric.text(n.before), metric.text(n.after), _change(n))
        for n in diff.numbers
        if (n.before, n.after) != (None, None)
        for metric in [METRICS[n.name]]
    ]


def _change(number: NumberChange) -> str:
    if number.before is None or number.after is None or not number.is_change:
        return ""
    difference = number.after - number.before
    share = f" ({difference / number.before:+.1%})" if number.before else ""
    return f"{difference:+,.4g}{share}" if isinstance(difference, float) else f"{difference:+,}{share}"


def proofs(report: PartitionReport) -> list[tuple[str, tuple[str, ...]]]:
    """Why there are not fewer subgraphs: what forces them, and the names on the path that shows it.

    One proof in all; of several delegates one for each that needs more than one subgraph.
    """
    if len(report.delegates) < 2:
        head = "no order has fewer subgraphs, because on this path CPU nodes stand between delegated ones:"
        return [(head, report.minimum_proof)] if report.minimum_subgraphs > 1 else []
    return [
        (
            f"no order has fewer subgraphs of '{printable(each.name)}': on this path others stand between its nodes:",
            each.minimum_proof,
        )
        for each in report.delegates
        if each.minimum_subgraphs > 1
    ]
