"""A partition report as text for a terminal, at most 100 columns wide."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from tabulate import MIN_PADDING, tabulate

from .names import printable, shorten
from .partition_report import PartitionReport
from .summary import bound_text, proofs
from .what_if import WhatIfKind
from .what_if_tables import HEADING, LEFT, NOTHING, cells, columns, has_delegates, notes, rows_of

WIDTH = 100
WRAPPED = 14
"""Columns behind the first one of what-if, where one delegate is spoken of."""
WRAPPED_MORE = 11
"""The same where several are, each with its name."""


def report_text(report: PartitionReport) -> str:
    """Summary, subgraphs, nodes, what stays on the CPU for which reason, and what would be if more was supported."""
    sections = [_summary(report)]
    if report.subgraphs:
        sections.append(_subgraphs(report))
    sections += [_proof(head, names) for head, names in proofs(report)]
    sections.append(_nodes(report))
    if report.delegate != "none" and report.fallback:
        sections.append(_fallback(report))
    if report.what_if is not None:
        sections.append(_what_if(report))
    return "\n\n".join(sections)


def _summary(report: PartitionReport) -> str:
    lines = [
        f"model      {shorten(report.model or '(in memory)', WIDTH - 11)}",
        f"delegate   {shorten(report.delegate, WIDTH - 11)}",
        f"delegated  {report.kernels_delegated} of {report.kernels_total} kernels ({report.coverage:.0%})",
        f"subgraphs  {len(report.subgraphs)} ({bound_text(report)})",
        f"boundary   {report.boundary_bytes:,} bytes per prediction",
    ]
    if report.estimated_us is not None:
        lines.append(
            f"estimated  {report.estimated_us:,.1f} us per prediction in subgraphs (an estimate, not measured)"
        )
    return "\n".join(lines + placement_lines(report) + [_note(note) for note in report.notes])


def placement_lines(report: PartitionReport) -> list[str]:
    """What placement by gain came to, for each delegate whose part was chosen so."""
    lines = []
    for each in report.delegates:
        if each.placement is not None:
            p = each.placement
            text = (
                f"{each.name}: {p.chosen_us:,.1f} us per prediction as chosen, {p.claimed_us:,.1f} with all that it "
                f"claims, {p.cpu_us:,.1f} on the CPU alone ({p.source})"
            )
            lines.append(textwrap.fill(text, WIDTH, initial_indent="by gain    ", subsequent_indent=" " * 11))
    return lines


def _note(note: str) -> str:
    return textwrap.fill(printable(note), WIDTH, initial_indent="note       ", subsequent_indent=" " * 11)


def _proof(head: str, names: Sequence[str]) -> str:
    path = " -> ".join(shorten(name, 28) for name in names)
    return f"{head}\n{textwrap.fill(path, WIDTH, initial_indent='  ', subsequent_indent='  ')}"


def _subgraphs(report: PartitionReport) -> str:
    """One line for each subgraph; what a run of it is estimated to take, where a delegate gives estimates."""
    estimated = any(s.estimated_us is not None for s in report.subgraphs)
    width = 20 if estimated else 28
    rows = [
        (
            shorten(s.name, 14),
            len(s.kernels),
            _names(s.inputs, width),
            _names(s.outputs, width),
            f"{s.boundary_bytes:,}",
        )
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
    rows = [
        (
            shorten(n.name, 28),
            shorten(n.type, 40),
            shorten(n.subgraph or n.device, 14),
            str(n.code or ""),
            printable(n.reason),
        )
        for n in report.nodes
    ]
    return tabulate(
        rows,
        ("node", "type", "runs on", "code", "reason"),
        maxcolwidths=[None, 16, None, 14, 18],
        disable_numparse=True,
    )


def _fallback(report: PartitionReport) -> str:
    rows = [
        (count, shorten(op, 40), str(code or ""), printable(reason), printable(hint))
        for (op, code, reason, hint), count in report.refusals().most_common()
    ]
    return "stays on the CPU:\n" + tabulate(
        rows,
        ("nodes", "type", "code", "reason", "what to do"),
        maxcolwidths=[None, 18, 14, 26, 28],
        disable_numparse=True,
    )


def _what_if(report: PartitionReport) -> str:
    """One line for each operator type, and one for each node on the path that forces the number of subgraphs."""
    rows = rows_of(report)
    if not rows:
        return f"what if: {NOTHING}"
    headings = columns(rows)
    wrapped = WRAPPED_MORE if has_delegates(rows) else WRAPPED
    others = [
        [
            textwrap.fill(cell, wrapped) if heading in LEFT else cell
            for heading, cell in zip(headings, each, strict=True)
        ][1:]
        for each in (cells(row, rows) for row in rows)
    ]
    width = max(14, min(28, WIDTH - _width(headings[1:], others)))
    names = [row.operator if row.kind is WhatIfKind.OPERATOR else f"node {row.name}" for row in rows]
    shown = tabulate(
        [(shorten(name, width), *other) for name, other in zip(names, others, strict=True)],
        headings,
        colalign=["left" if each in LEFT else "right" for each in headings],
        disable_numparse=True,
    )
    return "\n".join([HEADING, shown, *(textwrap.fill(note, WIDTH) for note in notes(report, rows))])


def _width(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Of columns with two spaces before each, whose headings are aligned to the right or left."""
    widest = [max(map(len, "\n".join(cells).splitlines())) for cells in zip(*rows, strict=True)]
    return sum(2 + max(len(heading) + MIN_PADDING, cell) for heading, cell in zip(headings, widest, strict=True))
