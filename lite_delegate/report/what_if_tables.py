"""Words and cells for the gain of supporting more nodes, shared by several renderers."""

from __future__ import annotations

from collections.abc import Sequence

from ..basics.counted import counted
from ..partition.what_if.cases import WhatIfKind
from .partition_data import PartitionData
from .what_if import WhatIf, WhatIfPart, distinct

HEADING = "what if a delegate supported nodes that it rejects (all else unchanged; the most rewarding first):"
SETS_HEADING = "the best of several together:"
NOTHING = "no delegate rejects a node that support would change."
LEFT = ("if supported", "delegate", "why not")
"""Columns of text."""
MOST_NODES = 12
"""Rows of single nodes that are shown."""
MOST_NAMES = 3
"""Names of nodes that a line shows."""
ASSUMPTION = (
    "Times are estimates: on the device the nodes are assumed to gain as much as the median of those that the delegate "
    "claims."
)
_KINDS = {
    WhatIfKind.OPERATOR: "{}",
    WhatIfKind.RULE: "beyond '{}'",
    WhatIfKind.DTYPE: "element type {}",
    WhatIfKind.NODE: "node {}",
}


def rows_of(report: PartitionData) -> list[WhatIf]:
    """The rows that are shown, without sets: each set of nodes once, and of single nodes the most rewarding ones."""
    rows = [row for row in distinct(report.what_if or ()) if row.kind is not WhatIfKind.SET]
    nodes = [row for row in rows if row.kind is WhatIfKind.NODE]
    hidden = {id(row) for row in nodes[MOST_NODES:]}
    return [row for row in rows if id(row) not in hidden]


def sets_of(report: PartitionData) -> list[WhatIf]:
    """The rows of sets, the most rewarding first."""
    return [row for row in report.what_if or () if row.kind is WhatIfKind.SET]


def label(row: WhatIf | WhatIfPart, codes: Sequence[str] = ()) -> str:
    """The operators or cases supposed to be supported, in words.

    Args:
        row: of a table, or a part of a set.
        codes: of the row; a subject among them is a rule that the delegate does not say.
    """
    if isinstance(row, WhatIf) and row.parts:
        return " + ".join(label(part, list(row.codes)) for part in row.parts)
    if row.kind is WhatIfKind.RULE and row.subject in (codes or (row.codes if isinstance(row, WhatIf) else ())):
        return f"all with code {row.subject}"
    if isinstance(row, WhatIf):  # earlier versions wrote no subject
        return _KINDS[row.kind].format(row.label or row.subject or row.name or row.operator)
    return _KINDS[row.kind].format(row.label or row.subject)


def columns(rows: Sequence[WhatIf]) -> list[str]:
    """Headings; times and delegates where rows have them."""
    found = ["if supported", "nodes", "subgraphs", "kernels", "bytes"]
    if has_times(rows):
        found.append("est. time")
    if has_delegates(rows):
        found.append("delegate")
    return [*found, "why not"]


def cells(row: WhatIf, rows: Sequence[WhatIf]) -> list[str]:
    """One row of a table with ``columns``; the first cell is ``label``."""
    found = [
        label(row),
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
        found.append("Numbers before are the plan's; the delegate built other subgraphs than planned.")
    hidden = len([row for row in distinct(report.what_if or ()) if row.kind is WhatIfKind.NODE]) - len(
        [row for row in rows if row.kind is WhatIfKind.NODE]
    )
    if hidden:
        found.append(f"{hidden} more single nodes, which gain no more than those shown, are in --format json.")
    left = _not_tried(report)
    if left:
        found.append(f"{left} more nodes of the path that forces the number of subgraphs were not tried one by one.")
    return [*found, *waiting_notes(report)]


def waiting_notes(report: PartitionData) -> list[str]:
    """A line on nodes that known shapes alone would change, where there are some."""
    waiting = report.waiting_for_shapes
    if not waiting:
        return []
    first = ", ".join(f"'{name}'" for name in waiting[:MOST_NAMES])
    more = f" and {len(waiting) - MOST_NAMES} more" if len(waiting) > MOST_NAMES else ""
    text = (
        f"Not counted: {counted(len(waiting), 'node')} that only compute shapes, or wait for one "
        f"that is not known ({first}{more})"
    )
    opened = [each for each in report.inputs if each.shape is None or -1 in each.shape]
    if not opened:
        return [f"{text}: known shapes would change them, not more support."]
    shapes = ", ".join(f"'{each.name}' {_shape(each.shape)}" for each in opened[:MOST_NAMES])
    return [f"{text}: known shapes would change them, not more support. Open: {shapes}; --input-shape NAME=D,D,..."]


def _shape(shape: tuple[int, ...] | None) -> str:
    return "of unknown rank" if shape is None else f"[{', '.join(map(str, shape))}]"


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
