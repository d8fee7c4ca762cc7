"""A partition report as text for a terminal, at most 100 columns wide."""

from __future__ import annotations

import textwrap

from tabulate import tabulate

from .partition_report import PartitionReport

WIDTH = 100


def report_text(report: PartitionReport) -> str:
    """Summary, subgraphs, nodes, and what stays on the CPU for which reason."""
    sections = [_summary(report)]
    if report.subgraphs:
        sections.append(_subgraphs(report))
    if report.minimum_subgraphs > 1:
        sections.append(_proof(report))
    sections.append(_nodes(report))
    if report.delegate != "none" and report.fallback:
        sections.append(_fallback(report))
    return "\n\n".join(sections)


def _summary(report: PartitionReport) -> str:
    lines = [
        f"model      {report.model or '(in memory)'}",
        f"delegate   {report.delegate}",
        f"delegated  {report.kernels_delegated} of {report.kernels_total} kernels ({report.coverage:.0%})",
        f"subgraphs  {len(report.subgraphs)} ({_bound(report)})",
        f"boundary   {report.boundary_bytes:,} bytes per prediction",
    ]
    if report.estimated_us is not None:
        lines.append(
            f"estimated  {report.estimated_us:,.1f} us per prediction in subgraphs (an estimate, not measured)"
        )
    return "\n".join(lines + [_note(note) for note in report.notes])


def _note(note: str) -> str:
    return textwrap.fill(note, WIDTH, initial_indent="note       ", subsequent_indent=" " * 11)


def _bound(report: PartitionReport) -> str:
    if not report.subgraphs:
        return "nothing is delegated"
    if len(report.subgraphs) > report.minimum_subgraphs:
        return f"an order with {report.minimum_subgraphs} exists"
    return "the fewest possible"


def _proof(report: PartitionReport) -> str:
    path = " -> ".join(shorten(name, 28) for name in report.minimum_proof)
    head = "no order has fewer subgraphs, because on this path CPU nodes stand between delegated ones:"
    return f"{head}\n{textwrap.fill(path, WIDTH, initial_indent='  ', subsequent_indent='  ')}"


def shorten(name: str, width: int) -> str:
    """A name in at most ``width`` characters: its end, which is what differs between long names."""
    return name if len(name) <= width else "..." + name[len(name) - width + 3 :]


def _subgraphs(report: PartitionReport) -> str:
    """One line for each subgraph; what a run of it is estimated to take, where a delegate gives estimates."""
    estimated = any(s.estimated_us is not None for s in report.subgraphs)
    width = 22 if estimated else 28
    rows = [
        (s.name, len(s.kernels), _names(s.inputs, width), _names(s.outputs, width), f"{s.boundary_bytes:,}")
        for s in report.subgraphs
    ]
    columns = ("subgraph", "kernels", "takes", "gives", "bytes")
    if not estimated:
        return tabulate(rows, columns, colalign=("left", "right", "left", "left", "right"), disable_numparse=True)
    times = ["" if s.estimated_us is None else f"{s.estimated_us:,.1f}" for s in report.subgraphs]
    return tabulate(
        [(*row, time) for row, time in zip(rows, times, strict=True)],
        (*columns, "estimated us"),
        colalign=("left", "right", "left", "left", "right", "right"),
        disable_numparse=True,
    )


def _names(names: tuple[str, ...], width: int) -> str:
    return "\n".join(shorten(name, width) for name in names)


def _nodes(report: PartitionReport) -> str:
    rows = [(shorten(n.name, 28), n.type, n.subgraph or n.device, str(n.code or ""), n.reason) for n in report.nodes]
    return tabulate(
        rows,
        ("node", "type", "runs on", "code", "reason"),
        maxcolwidths=[None, 18, 12, 14, 18],
        disable_numparse=True,
    )


def _fallback(report: PartitionReport) -> str:
    rows = [(count, *why) for why, count in report.refused_types().most_common()]
    return "stays on the CPU:\n" + tabulate(
        [(count, op, str(code or ""), reason) for count, op, code, reason in rows],
        ("nodes", "type", "code", "reason"),
        maxcolwidths=[None, 24, 14, 46],
        disable_numparse=True,
    )
