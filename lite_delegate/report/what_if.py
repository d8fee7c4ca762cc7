"""Rows of a report for what a delegate rejects and might support, the most rewarding one first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from ..partition.what_if import Difference, what_if
from ..runtime.records import PartitionRecord


class WhatIfKind(StrEnum):
    """The things that are supposed to be supported."""

    OPERATOR = "operator"
    """All nodes of an operator type that the delegate rejects because it cannot do them."""
    NODE = "node"
    """One such node that is on the path which forces the number of subgraphs."""


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The change if a delegate took some nodes that it rejects, and all else stayed as it is.

    Attributes:
        kind: an operator type or a node.
        delegate: the name of the delegate.
        operator: the operator type.
        name: of the node, "" for an operator type.
        nodes: names of the nodes.
        codes: why they are rejected, and how many for each code.
        subgraphs_before: as planned now.
        subgraphs_after: with these nodes supported.
        kernels_delta: how many more nodes would be delegated.
        bytes_before: boundary bytes per prediction as planned now.
        bytes_after: with these nodes supported.
        time_before_us: microseconds per prediction as planned now: an estimate, None where kernel times are not known.
        time_after_us: with these nodes supported. On the device they are assumed to gain as much as the median of the
            nodes that the delegate claims.
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


def what_if_rows(record: PartitionRecord) -> tuple[WhatIf, ...]:
    """The rows for a record, the most rewarding first; none where delegates reject nothing, or do not say what."""
    found = what_if(record.asked, record.options, record.minimum_proof)
    return tuple(_row(record, difference) for difference in found)


def _row(record: PartitionRecord, difference: Difference) -> WhatIf:
    case, before, after = difference.case, difference.before, difference.after
    return WhatIf(
        kind=WhatIfKind.NODE if case.node else WhatIfKind.OPERATOR,
        delegate=case.delegate,
        operator=case.type,
        name=case.node,
        nodes=tuple(record.asked[number].graph.names[v] for number, nodes in case.nodes.items() for v in nodes),
        codes={code.value: count for code, count in case.codes.items()},
        subgraphs_before=before.subgraphs,
        subgraphs_after=after.subgraphs,
        kernels_delta=after.kernels - before.kernels,
        bytes_before=before.boundary_bytes,
        bytes_after=after.boundary_bytes,
        time_before_us=before.time_us,
        time_after_us=after.time_us,
    )


def distinct(rows: Sequence[WhatIf]) -> Iterator[WhatIf]:
    """The rows without those of nodes that are the only ones of their type, and have a row as that already."""
    operators = {(row.delegate, row.nodes) for row in rows if row.kind is WhatIfKind.OPERATOR}
    return (row for row in rows if row.kind is WhatIfKind.OPERATOR or (row.delegate, row.nodes) not in operators)
