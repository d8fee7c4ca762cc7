"""A partition report as text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ..basics.counted import counted
from ..basics.words.names import folded, shares, shorten, way, whole_way
from ..basics.words.one_line import printable
from ..reporting.styles import Style, style_of_place
from ..reporting.terminal import answered, fact, page, table, table_of, wrapped
from ..runtime.records import source_texts
from .changes.summary import (
    alternative_texts,
    bound_text,
    cpu_group_texts,
    delegate_text,
    gain_texts,
    input_wait_text,
    provider_texts,
    share_text,
    time_text,
)
from .partition_data import PartitionData
from .proof import Block, Proof, proofs
from .rewrites import COLUMNS, rewrite_rows
from .rewrites import HEADING as REWRITTEN
from .what_if import WhatIf
from .what_if_tables import (
    HEADING,
    LEFT,
    NOTHING,
    SETS_HEADING,
    cells,
    columns,
    has_delegates,
    label,
    notes,
    rows_of,
    sets_of,
    waiting_notes,
)

ALL_NODES = 30
"""Nodes of a model that all have a line of their own; in a larger one long stretches of equal rows are folded."""
MOST_RENAMED = 15
"""Nodes whose names in the file are listed; of more, only how many there are is said."""
NUMBERED = 26
"""Columns of a proof's table before its ways."""
MOST_ALIKE = 4
"""Equal rows behind each other that are not folded."""
TYPE = 18
"""Columns of operator types: the longest of ONNX and TensorFlow Lite that are common fit."""
MOST_TENSORS = 6
"""Lines for the input tensors and the output tensors of a subgraph."""
WRAPPED = 14
"""Columns behind the first one of what-if, where one delegate is spoken of."""
WRAPPED_MORE = 11
"""The same where several are, each with its name."""


def report_text(report: PartitionData) -> str:
    """The answer, summary, subgraphs, nodes and their names in the file, nodes on the CPU with reasons, what-if."""
    sections = [_summary(report)]
    if report.subgraphs:
        sections.append(_subgraphs(report))
    sections += [_proof(proof) for proof in proofs(report)]
    if report.rewrites:
        sections.append(_rewrites(report))
    sections.append(_nodes(report))
    if report.renamed():
        sections.append(_renamed(report))
    if report.delegate != "none" and report.fallback:
        sections.append(_fallback(report))
    if report.what_if is not None:
        sections.append(_what_if(report))
    return answered(wrapped(_answer(report)), "\n\n".join(sections), wrapped(f"next: {_advice(report)}"))


def _answer(report: PartitionData) -> str:
    """Who runs how much, in how many subgraphs, and whether that pays."""
    if report.delegate == "none":
        return f"The CPU runs {counted(report.kernels_total, 'kernel')}; no delegate was asked."
    where = f"{share_text(report)} on {delegate_text(report)}, in {counted(len(report.subgraphs), 'subgraph')}"
    pays = "" if report.verdict is None else f"; pays: {report.verdict.short}"
    return f"{where} ({bound_text(report)}){pays}"


def _advice(report: PartitionData) -> str:
    """What to do next: the hint for the most frequent rejection, else the commands that look closer."""
    if report.delegate == "none":
        return "--delegate npu shows what a delegate takes; 'lite-delegate devices' lists delegates."
    hints = (printable(hint) for (_, _, _, hint), _ in report.rejections().most_common() if hint)
    hint = next(hints, "") if report.fallback else ""
    if hint:
        return f"{hint}{'' if report.what_if is not None else '; --what-if shows the gain of more support'}"
    return "'lite-delegate compare' shows whether the numbers are right, 'lite-delegate benchmark' how fast they come."


def _summary(report: PartitionData) -> str:
    lines = [
        f"model      {shorten(report.model or '(in memory)', page().columns - 11)}",
        f"delegate   {shorten(delegate_text(report), page().columns - 11)}",
        f"delegated  {share_text(report)}",
        f"subgraphs  {len(report.subgraphs)} ({bound_text(report)})",
        f"boundary   {counted(report.boundary_bytes, 'byte')} per prediction",
    ]
    if report.estimated_us is not None:
        lines.append(
            f"estimated  {report.estimated_us:,.1f} us per prediction in subgraphs (an estimate, not measured)"
        )
    if report.input_wait_us is not None:
        lines.append(fact("waiting", input_wait_text(report.input_wait_us)))
    if report.verdict is not None:
        lines.append(fact("pays", report.verdict.text, is_verdict=True))
    lines += [fact("read back", text) for text in provider_texts(report)]
    lines += [fact("cpu groups", text) for text in cpu_group_texts(report)]
    lines += [fact("by gain", text) for text in gain_texts(report)]
    lines += [fact("fastest", text) for text in alternative_texts(report)]
    return "\n".join(lines + [fact("note", printable(note)) for note in report.notes])


def _proof(proof: Proof) -> str:
    """One line for each block, so that blocks can be counted."""
    columns = {
        "block": [str(number) for number in range(1, len(proof.blocks) + 1)],
        "subgraph": [_subgraphs_of(block) for block in proof.blocks],
    }
    ways = {
        "its nodes on the path": [block.nodes for block in proof.blocks],
        "between it and the next": [block.behind for block in proof.blocks],
    }
    wanted = [max([len(heading), *(len(whole_way(names)) for names in lists)]) for heading, lists in ways.items()]
    for (heading, lists), room in zip(ways.items(), shares(page().columns - NUMBERED, wanted), strict=True):
        columns[heading] = [way(names, room) for names in lists]
    shown = table_of(columns, right=("block",))
    note = "" if "(+" not in shown else "\n('(+3)': 3 more nodes between the two)"
    return f"{wrapped(proof.head)}\n{shown}{note}"


def _subgraphs_of(block: Block) -> str:
    first, *more = block.subgraphs
    return shorten(first, 14) if not more else f"{shorten(first, 10)} +{len(more)}"


def _subgraphs(report: PartitionData) -> str:
    """One line for each subgraph; what a run of it is estimated to take and to save, where that is known."""
    columns = {
        "subgraph": [shorten(s.name, 14) for s in report.subgraphs],
        "delegate": [shorten(s.delegate, 10) if len(report.delegates) > 1 else "" for s in report.subgraphs],
        "kernels": [str(len(s.kernels)) for s in report.subgraphs],
        "takes": [_names(s.inputs) for s in report.subgraphs],
        "gives": [_names(s.outputs) for s in report.subgraphs],
        "bytes": [f"{s.boundary_bytes:,}" for s in report.subgraphs],
        "estimated us": [time_text(s.estimated_us) for s in report.subgraphs],
        "saves us": [time_text(s.saved_us) for s in report.subgraphs],
    }
    known = {heading: cells for heading, cells in columns.items() if any(cells) or heading in ("takes", "gives")}
    return table_of(known, cut=("takes", "gives"), right=("kernels", "bytes", "estimated us", "saves us"))


def _names(names: Sequence[str]) -> str:
    return "\n".join(printable(name) or "(no name)" for name in folded(names, MOST_TENSORS))


def _nodes(report: PartitionData) -> str:
    """One row for each node; in a large model a row for a long stretch of nodes with equal rows, with their number."""
    several, labels = any(n.graph for n in report.nodes), report.labels()
    rows = [
        (
            *((shorten(n.graph or "main", 10),) if several else ()),
            printable(labels[n.name].name),
            shorten(labels[n.name].type, 40),
            shorten(n.subgraph or n.device, 14),
            str(n.code or ""),
            printable(n.reason),
        )
        for n in report.nodes
    ]
    headings = (*("graph",) * several, "node", "type", "runs on", "code", "reason")
    is_folded = len(rows) > ALL_NODES and not page().full
    if is_folded:
        rows = [row for _, same in groupby(rows, lambda row: (row[:-5], row[-3:])) for row in _folded(list(same))]
    styles: dict[str, list[Style | None]]
    styles = {"runs on": [style_of_place(row[-3]) for row in rows], "code": [Style.REFUSAL for _ in rows]}
    shown = table(headings, rows, cut=("node",), wrap=("type", "reason"), most={"type": TYPE}, styles=styles)
    return shown + "\n('... more': like the line above; --full shows all nodes)" * is_folded


def _folded(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Rows that differ in the name and the type of the node only."""
    if len(rows) <= MOST_ALIKE:
        return rows
    *graph, _, _, place, _, _ = rows[0]
    return [rows[0], (*graph, f"... {len(rows) - 2:,} more", "", place, "", ""), rows[-1]]


def _renamed(report: PartitionData) -> str:
    """One line for each node that was several in the file, or part of one, with all that it was; of many their number.

    A node that was one of the file's nodes has its name.
    """
    found, labels = report.renamed(), report.labels()
    if len(found) > MOST_RENAMED and not page().full:
        nodes = counted(len(found), "node")
        return wrapped(f"names in the file: {nodes} were several there, or parts of one; --full lists them")
    columns = {
        "node": [printable(labels[n.name].name) for n in found],
        "in the file": ["\n".join(map(printable, source_texts(n.sources))) for n in found],
    }
    return "names in the file:\n" + table_of(columns, cut=("node", "in the file"))


def _fallback(report: PartitionData) -> str:
    rows = [
        (str(count), shorten(op, 40), str(code or ""), printable(reason), printable(hint))
        for (op, code, reason, hint), count in report.rejections().most_common()
    ]
    headings = ("nodes", "type", "code", "reason", "what to do")
    styles = {"code": [Style.REFUSAL] * len(rows)}
    wrap = ("type", "reason", "what to do")
    return "stays on the CPU:\n" + table(headings, rows, wrap=wrap, most={"type": TYPE}, styles=styles)


def _rewrites(report: PartitionData) -> str:
    rows = rewrite_rows(report.rewrites)
    return f"{REWRITTEN}\n" + table(COLUMNS, rows, cut=("first",), wrap=("nodes", "is now", "why"), right=("times",))


def _what_if(report: PartitionData) -> str:
    """One line for each rule, operator and element type, for nodes that force the number of subgraphs, and for sets."""
    rows, sets = rows_of(report), sets_of(report)
    if not rows:
        return "\n".join([f"what if: {NOTHING}", *(wrapped(printable(note)) for note in waiting_notes(report))])
    lines = [HEADING, _what_if_table(rows)]
    if sets:
        lines += [SETS_HEADING, _what_if_table(sets)]
    return "\n".join([*lines, *(wrapped(printable(note)) for note in notes(report, rows))])


def _what_if_table(rows: Sequence[WhatIf]) -> str:
    headings = columns(rows)
    shown = [(printable(label(row)), *cells(row, rows)[1:]) for row in rows]
    narrow = dict.fromkeys(LEFT[1:], WRAPPED_MORE if has_delegates(rows) else WRAPPED)
    return table(headings, shown, wrap=LEFT, most=narrow, right=[each for each in headings if each not in LEFT])
