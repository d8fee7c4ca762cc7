"""A partition report as Markdown with GitHub's tables."""

from __future__ import annotations

from collections.abc import Sequence

from ..basics.counted import counted
from ..basics.words.names import way
from ..reporting.markdown import escaped, table
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
from .proof import Proof, proofs
from .rewrites import COLUMNS, rewrite_rows
from .rewrites import HEADING as REWRITTEN
from .what_if import WhatIf, WhatIfKind
from .what_if_tables import HEADING, LEFT, NOTHING, SETS_HEADING, cells, columns, notes, rows_of, sets_of, waiting_notes

NARROW = 80
"""Characters of a path in a table's cell."""
NUMBERS = ("kernels", "bytes", "estimated us", "saves us")
"""Columns of numbers."""


def report_markdown(report: PartitionData) -> str:
    """Summary, subgraphs, nodes on the CPU with hints, what-if tables; all nodes, folded up."""
    sections = ["# Partition report", _summary(report)]
    if report.subgraphs:
        sections += ["## Subgraphs", _subgraphs(report)]
    for proof in proofs(report):
        sections += [escaped(proof.head[0].upper() + proof.head[1:]), _proof(proof)]
    if report.delegate != "none" and report.fallback:
        sections += ["## On the CPU", _fallback(report)]
    if report.rewrites:
        heading = REWRITTEN[0].upper() + REWRITTEN[1:]
        rows = rewrite_rows(report.rewrites)
        sections += ["## Rewritten", escaped(heading), table(COLUMNS, rows, right=(0,))]
    if report.what_if is not None:
        sections += ["## What if", *_what_if(report)]
    sections += ["<details><summary>All nodes</summary>", _nodes(report), "</details>"]
    return "\n\n".join(sections)


def _summary(report: PartitionData) -> str:
    rows = [
        ("model", report.model or "(in memory)"),
        ("delegate", delegate_text(report)),
        ("delegated", share_text(report)),
        ("subgraphs", f"{len(report.subgraphs)} ({bound_text(report)})"),
        ("boundary", f"{counted(report.boundary_bytes, 'byte')} per prediction"),
    ]
    if report.estimated_us is not None:
        rows.append(
            ("estimated", f"{report.estimated_us:,.1f} us per prediction in subgraphs (an estimate, not measured)")
        )
    if report.input_wait_us is not None:
        rows.append(("waiting", input_wait_text(report.input_wait_us)))
    if report.verdict is not None:
        rows.append(("pays", report.verdict.text))
    rows += [("read back", text) for text in provider_texts(report)]
    rows += [("cpu groups", text) for text in cpu_group_texts(report)]
    rows += [("by gain", text) for text in gain_texts(report)]
    rows += [("fastest", text) for text in alternative_texts(report)]
    return table(("", ""), [*rows, *(("note", note) for note in report.notes)])


def _subgraphs(report: PartitionData) -> str:
    several = len(report.delegates) > 1
    has_savings = any(s.saved_us is not None for s in report.subgraphs)
    rows = [
        (
            s.name,
            *((s.delegate,) if several else ()),
            len(s.kernels),
            ", ".join(name or "(no name)" for name in s.inputs),
            ", ".join(name or "(no name)" for name in s.outputs),
            f"{s.boundary_bytes:,}",
            time_text(s.estimated_us),
            *((time_text(s.saved_us),) if has_savings else ()),
        )
        for s in report.subgraphs
    ]
    headings = (
        "subgraph",
        *("delegate",) * several,
        "kernels",
        "takes",
        "gives",
        "bytes",
        "estimated us",
        *("saves us",) * has_savings,
    )
    return table(headings, rows, right=[i for i, heading in enumerate(headings) if heading in NUMBERS])


def _proof(proof: Proof) -> str:
    rows = [
        (number, ", ".join(block.subgraphs), way(block.nodes, NARROW), way(block.behind, NARROW))
        for number, block in enumerate(proof.blocks, start=1)
    ]
    return table(("block", "subgraph", "its nodes on the path", "between it and the next"), rows, right=(0,))


def _fallback(report: PartitionData) -> str:
    rows = [(count, *why) for why, count in report.rejections().most_common()]
    return table(("nodes", "type", "code", "reason", "what to do"), rows, right=(0,))


def _what_if(report: PartitionData) -> list[str]:
    rows, sets = rows_of(report), sets_of(report)
    if not rows:
        return [escaped(NOTHING[0].upper() + NOTHING[1:]), *map(escaped, waiting_notes(report))]
    found = [escaped(HEADING[0].upper() + HEADING[1:]), _what_if_table(rows)]
    if sets:
        found += [escaped(SETS_HEADING[0].upper() + SETS_HEADING[1:]), _what_if_table(sets)]
    return [*found, *map(escaped, notes(report, rows))]


def _what_if_table(rows: Sequence[WhatIf]) -> str:
    headings = columns(rows)
    table_rows = [cells(row, rows) for row in rows]
    for row, shown in zip(rows, table_rows, strict=True):
        shown[0] = f"{shown[0]} ({row.operator})" if row.kind is WhatIfKind.NODE else shown[0]
    return table(headings, table_rows, [i for i, each in enumerate(headings) if each not in LEFT])


def _nodes(report: PartitionData) -> str:
    graphs, renamed, labels = any(n.graph for n in report.nodes), bool(report.renamed()), report.labels()
    rows = [
        (
            *((n.graph or "main",) if graphs else ()),
            labels[n.name].name,
            labels[n.name].type,
            n.subgraph or n.device,
            n.code or "",
            n.reason,
            *((", ".join(source_texts(n.sources)),) if renamed else ()),
        )
        for n in report.nodes
    ]
    return table((*("graph",) * graphs, "node", "type", "runs on", "code", "reason", *("in the file",) * renamed), rows)
