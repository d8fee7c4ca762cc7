"""A partition report as text for a terminal, at most 100 columns wide."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ..basics.counted import counted
from ..reporting.names import folded, printable, shares, shorten, way, whole_way
from ..reporting.terminal import GAP, WIDTH, fitted, width, wrapped
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

ALL_NODES = 100
"""Nodes of a model that all have a line of their own; in a larger one long stretches of equal rows are folded."""
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
    """Summary, subgraphs, nodes and their names in the file, nodes on the CPU with reasons, what-if tables."""
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
    return "\n\n".join(sections)


def _summary(report: PartitionData) -> str:
    lines = [
        f"model      {shorten(report.model or '(in memory)', WIDTH - 11)}",
        f"delegate   {shorten(delegate_text(report), WIDTH - 11)}",
        f"delegated  {share_text(report)}",
        f"subgraphs  {len(report.subgraphs)} ({bound_text(report)})",
        f"boundary   {counted(report.boundary_bytes, 'byte')} per prediction",
    ]
    if report.estimated_us is not None:
        lines.append(
            f"estimated  {report.estimated_us:,.1f} us per prediction in subgraphs (an estimate, not measured)"
        )
    if report.input_wait_us is not None:
        lines.append(_line("waiting", input_wait_text(report.input_wait_us)))
    if report.verdict is not None:
        lines.append(_line("pays", report.verdict.text))
    lines += [_line("read back", text) for text in provider_texts(report)]
    lines += [_line("cpu groups", text) for text in cpu_group_texts(report)]
    lines += [_line("by gain", text) for text in gain_texts(report)]
    lines += [_line("fastest", text) for text in alternative_texts(report)]
    return "\n".join(lines + [_line("note", printable(note)) for note in report.notes])


def _line(word: str, text: str) -> str:
    return wrapped(text, first=f"{word:<11}", rest=" " * 11)


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
    taken = sum(GAP + width(heading, cells) for heading, cells in columns.items())
    wanted = [width(heading, list(map(whole_way, lists))) for heading, lists in ways.items()]
    for (heading, lists), room in zip(ways.items(), shares(WIDTH - taken - GAP, wanted), strict=True):
        columns[heading] = [way(names, room) for names in lists]
    table = fitted(columns, {}, right=("block",))
    note = "" if "(+" not in table else "\n('(+3)': 3 more nodes between the two)"
    return f"{wrapped(proof.head)}\n{table}{note}"


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
    return fitted(known, {"takes": _cut, "gives": _cut}, right=("kernels", "bytes", "estimated us", "saves us"))


def _names(names: Sequence[str]) -> str:
    return "\n".join(printable(name) or "(no name)" for name in folded(names, MOST_TENSORS))


def _cut(cell: str, width: int) -> str:
    return "\n".join(shorten(name, width) for name in cell.splitlines())


def _nodes(report: PartitionData) -> str:
    """One row for each node; in a large model the nodes in the middle of a stretch with equal rows are counted."""
    several, labels = any(n.graph for n in report.nodes), report.labels()
    rows = [
        (
            printable(labels[n.name].name),
            wrapped(shorten(labels[n.name].type, 40), TYPE),
            shorten(n.subgraph or n.device, 14),
            str(n.code or ""),
            printable(n.reason),
            *((shorten(n.graph or "main", 10),) if several else ()),
        )
        for n in report.nodes
    ]
    headings = ("node", "type", "runs on", "code", "reason", *("graph",) * several)
    if len(rows) <= ALL_NODES:
        return _node_table(headings, rows)
    shown = [row for _, same in groupby(rows, lambda row: row[2:]) for row in _folded(list(same))]
    return f"{_node_table(headings, shown)}\n('... more': like the line above it; --format json has all nodes)"


def _node_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The graph of a node comes first."""
    columns = _columns(headings, rows)
    graphs = {"graph": columns.pop("graph")} if "graph" in columns else {}
    return fitted(graphs | columns, {"node": shorten, "reason": wrapped})


def _folded(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Rows that differ in the name and the type of the node only."""
    if len(rows) <= MOST_ALIKE:
        return rows
    _, _, place, _, _, *graph = rows[0]
    return [rows[0], (f"... {len(rows) - 2:,} more", "", place, "", "", *graph), rows[-1]]


def _renamed(report: PartitionData) -> str:
    """One line for each node that was several in the file, or part of one, with all that it was."""
    found, labels = report.renamed(), report.labels()
    columns = {
        "node": [printable(labels[n.name].name) for n in found[:ALL_NODES]],
        "in the file": ["\n".join(map(printable, source_texts(n.sources))) for n in found[:ALL_NODES]],
    }
    more = len(found) - ALL_NODES
    rest = f"\n(and {more:,} more nodes; --format json has all)" if more > 0 else ""
    return "names in the file:\n" + fitted(columns, {"node": shorten, "in the file": _cut}) + rest


def _fallback(report: PartitionData) -> str:
    rows = [
        (str(count), wrapped(shorten(op, 40), 18), str(code or ""), printable(reason), printable(hint))
        for (op, code, reason, hint), count in report.rejections().most_common()
    ]
    columns = _columns(("nodes", "type", "code", "reason", "what to do"), rows)
    return "stays on the CPU:\n" + fitted(columns, {"reason": wrapped, "what to do": wrapped})


def _rewrites(report: PartitionData) -> str:
    columns = _columns(COLUMNS, rewrite_rows(report.rewrites))
    table = fitted(columns, {"first": shorten, "nodes": wrapped, "is now": wrapped, "why": wrapped}, right=("times",))
    return f"{REWRITTEN}\n{table}"


def _columns(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[str, list[str]]:
    return {heading: [row[i] for row in rows] for i, heading in enumerate(headings)}


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
    table = _columns(headings, [cells(row, rows) for row in rows])
    narrow = WRAPPED_MORE if has_delegates(rows) else WRAPPED
    table |= {heading: [wrapped(cell, narrow) for cell in table[heading]] for heading in LEFT if heading in table}
    table[headings[0]] = [printable(label(row)) for row in rows]
    return fitted(table, {headings[0]: _labelled}, right=[each for each in headings if each not in LEFT])


def _labelled(cell: str, width: int) -> str:
    """Rules are wrapped; names of nodes are cut, so that their ends are to be seen."""
    return shorten(cell, width) if cell.startswith("node ") else wrapped(cell, width)
