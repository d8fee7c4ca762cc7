"""Rows of a report about rejected nodes that a delegate could support, the most rewarding row first."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief
from ..partition.what_if.cases import Case, WhatIfKind
from ..partition.what_if.trials import Difference
from ..partition.what_if.what_if import MOST_TOGETHER, what_if
from ..runtime.records import PartitionRecord

__all__ = ["WhatIf", "WhatIfKind", "WhatIfPart", "distinct", "what_if_rows"]


MOST_LABELS = 3
"""Names of the file that stand for one operator type of ours; more of them say less than that type."""


@dataclass(frozen=True, slots=True)
class WhatIfPart(Brief):
    """One part of a set.

    Attributes:
        kind: a rule, an operator type or an element type.
        subject: which one, as ``WhatIf.subject``.
        label: as ``WhatIf.label``.
    """

    kind: WhatIfKind
    subject: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class WhatIf(Brief):
    """The change if a delegate took some nodes that it rejects, and all else stayed as it is.

    Attributes:
        kind: a rule, an operator type, an element type, a node, or a set of these.
        delegate: the name of the delegate.
        operator: the operator type, "" for nodes of several.
        name: of the node, "" for all other kinds.
        nodes: names of the nodes.
        codes: why they are rejected, and how many for each code.
        subgraphs_before: as planned now.
        subgraphs_after: with these nodes supported.
        kernels_delta: how many more nodes would be delegated.
        bytes_before: boundary bytes per prediction as planned now.
        bytes_after: with these nodes supported.
        time_before_us: microseconds per prediction as planned now: an estimate, None where the delegate gives none.
        time_after_us: with these nodes supported. On the device they are assumed to gain as much as the median of the
            nodes that the delegate claims.
        subject: the rule, the operator type, the element type or the node's name; of a rule that the delegate does not
            say, the code; "" for a set.
        parts: the members of a set.
        types: how many of the nodes are of each operator type.
        label: of an operator type: its name in the model's file, several names joined by ", "; "" where the
            file has more than a few, for nodes that come from no file, and for all other kinds.
    """

    kind: WhatIfKind
    delegate: str
    operator: str
    name: str
    nodes: tuple[str, ...]
    codes: Mapping[str, int] = field(hash=False)
    subgraphs_before: int
    subgraphs_after: int
    kernels_delta: int
    bytes_before: int
    bytes_after: int
    time_before_us: float | None = None
    time_after_us: float | None = None
    subject: str = ""
    parts: tuple[WhatIfPart, ...] = ()
    types: Mapping[str, int] = field(default_factory=dict, hash=False)
    label: str = ""

    @property
    def is_said(self) -> bool:
        """False for a rule of which the delegate gives only the code."""
        return self.kind is not WhatIfKind.RULE or self.subject not in self.codes

    @property
    def bytes_delta_percent(self) -> float | None:
        """The change of the boundary bytes, None where there were none."""
        return _percent(self.bytes_before, self.bytes_after)

    @property
    def time_delta_percent(self) -> float | None:
        """The change of the estimated time, None where it is not known."""
        return _percent(self.time_before_us, self.time_after_us)


def _percent(before: float | None, after: float | None) -> float | None:
    if before is None or after is None or not before:
        return None
    percent = 100.0 * (after - before) / before
    return percent if math.isfinite(percent) else None


def what_if_rows(record: PartitionRecord, most: int = MOST_TOGETHER) -> tuple[tuple[WhatIf, ...], tuple[str, ...]]:
    """The rows for a record, the most rewarding first, and the nodes that known shapes alone would change.

    No rows where delegates reject nothing, or do not say what.

    Args:
        record: the partition of a plan.
        most: things in a set; below 2 for no sets.
    """
    found = what_if(record.asked, record.options, record.minimum_proof, most)
    return tuple(_row(record, difference) for difference in found.differences), found.waiting


def _row(record: PartitionRecord, difference: Difference) -> WhatIf:
    case, before, after = difference.case, difference.before, difference.after
    graphs = {number: record.asked[number].graph for number in case.nodes}
    return WhatIf(
        kind=case.kind,
        delegate=case.delegate,
        operator=case.type,
        name=case.name if case.kind is WhatIfKind.NODE else "",
        nodes=tuple(graphs[number].names[v] for number, nodes in case.nodes.items() for v in nodes),
        codes={code.value: count for code, count in case.codes.items()},
        subgraphs_before=before.subgraphs,
        subgraphs_after=after.subgraphs,
        kernels_delta=after.kernels - before.kernels,
        bytes_before=before.boundary_bytes,
        bytes_after=after.boundary_bytes,
        time_before_us=before.time_us,
        time_after_us=after.time_us,
        subject=_subject(case),
        parts=tuple(WhatIfPart(part.kind, _subject(part), _label(record, part)) for part in case.parts),
        types=dict(Counter(graphs[number].types[v] for number, nodes in case.nodes.items() for v in nodes)),
        label=_label(record, case),
    )


def _label(record: PartitionRecord, case: Case) -> str:
    """The names that the operator type of a case has in the model's file."""
    if case.kind is not WhatIfKind.OPERATOR:
        return ""
    graphs = {number: record.asked[number].graph for number in case.nodes}
    names = {graphs[number].names[v] for number, nodes in case.nodes.items() for v in nodes}
    found = list(dict.fromkeys(node.operator for node in record.nodes if node.name in names and node.sources))
    return ", ".join(found) if len(found) <= MOST_LABELS else ""


def _subject(case: Case) -> str:
    is_unsaid = case.kind is WhatIfKind.RULE and not case.name
    return next(iter(case.codes)).value if is_unsaid else case.name


def distinct(rows: Sequence[WhatIf]) -> Iterator[WhatIf]:
    """One row for each set of equal nodes of a delegate: the rule before the operator, single nodes last."""
    chosen: dict[tuple[str, frozenset[str]], WhatIf] = {}
    for row in sorted(rows, key=_preference):
        chosen.setdefault((row.delegate, frozenset(row.nodes)), row)
    kept = {id(row) for row in chosen.values()}
    return (row for row in rows if id(row) in kept)


def _preference(row: WhatIf) -> int:
    if not row.is_said:
        return 3
    return {WhatIfKind.RULE: 0, WhatIfKind.OPERATOR: 1, WhatIfKind.DTYPE: 2, WhatIfKind.NODE: 4}.get(row.kind, 5)
