"""Words and cells for what would change if more were supported, as several renderers use them."""

from __future__ import annotations

from collections.abc import Sequence

from .partition_data import PartitionData
from .what_if import WhatIf, WhatIfKind, distinct

HEADING = "what if a delegate supported what it rejects (the rest as it is; the most rewarding first):"
NOTHING = "no delegate rejects anything that support would change."
LEFT = ("if supported", "delegate", "why not")
"""Columns of text."""
MOST_NODES = 12
"""Rows of single nodes that are shown."""
ASSUMPTION = (
    "Times are estimates: on the device the nodes are assumed to gain as much as the median of those that the delegate "
    "claims."
)


def rows_of(report: PartitionData) -> list[WhatIf]:
    """The rows that are shown: each set of nodes once, and of single nodes the most rewarding ones."""
    rows = list(distinct(report.what_if or ()))
    nodes = [row for row in rows if row.kind is WhatIfKind.NODE]
    return [row for row in rows if row.kind is WhatIfKind.OPERATOR or row in nodes[:MOST_NODES]]


def columns(rows: Sequence[WhatIf]) -> list[str]:
    """Headings; times and delegates where rows have them."""
    found = ["if supported", "nodes", "subgraphs", "kernels", "bytes"]
    if has_times(rows):
        found.append("est. time")
    if has_delegates(rows):
        found.append("delegate")
    return [*found, "why not"]


def cells(row: WhatIf, rows: Sequence[WhatIf]) -> list[str]:
    """One row of a table with ``columns``; the first cell is the operator type or the node's name."""
    found = [
        row.operator if row.kind is WhatIfKind.OPERATOR else row.name,
        f"{len(row.nodes):,}",
        f"{row.subgraphs_before} -> {row.subgraphs_after}",
        f"{row.kernels_delta:+,}",
        _bytes(row),
    ]
    if has_times(rows):
        found.append(_percent(row.time_delta_percent))
    if has_delegates(rows):
        found.append(row.delegate)
    return [*found, ", ".join(f"{code} {count}" for code, count in row.codes.items())]


def notes(report: PartitionData, rows: Sequence[WhatIf]) -> list[str]:
    """The lines below the table."""
    found = [ASSUMPTION] if has_times(rows) else []
    planned = {(row.subgraphs_before, row.bytes_before) for row in rows}
    if planned and planned != {(len(report.subgraphs), report.boundary_bytes)}:
        found.append("Numbers before are those of the plan; the delegate built other subgraphs than were planned.")
    hidden = len(list(distinct(report.what_if or ()))) - len(rows)
    if hidden:
        found.append(f"{hidden} more single nodes, which gain no more than those shown, are in --format json.")
    left = _not_tried(report)
    if left:
        found.append(f"{left} more nodes of the path that forces the number of subgraphs were not tried one by one.")
    return found


def has_delegates(rows: Sequence[WhatIf]) -> bool:
    """True for rows of several delegates."""
    return len({row.delegate for row in rows}) > 1


def has_times(rows: Sequence[WhatIf]) -> bool:
    """True where kernel times were known."""
    return any(row.time_after_us is not None for row in rows)


def _not_tried(report: PartitionData) -> int:
    """Nodes of the path in rows of operator types that have no row of their own."""
    rows = report.what_if or ()
    path = set(report.minimum_proof)
    on_cpu = {node.name for node in report.fallback}
    rejected = {name for row in rows if row.kind is WhatIfKind.OPERATOR for name in row.nodes}
    tried = {row.name for row in rows if row.kind is WhatIfKind.NODE}
    return len((rejected & path & on_cpu) - tried)


def _bytes(row: WhatIf) -> str:
    percent = row.bytes_delta_percent
    return f"+{row.bytes_after:,}" if percent is None else _percent(percent)


def _percent(value: float | None) -> str:
    if value is None:
        return "not known"
    return "0 %" if round(value, 1) == 0 else f"{value:+.1f} %"
