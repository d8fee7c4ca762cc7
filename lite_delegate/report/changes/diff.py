"""Differences between two partition reports, as frozen data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, TypeVar

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief, model_words
from ...delegate import RejectCode
from ...reporting.forms import ReportData
from ...reporting.plain import to_plain
from ...reporting.tables import FormTable
from ...runtime.records import NodeRecord, SourceRecord, SubgraphRecord, short_name
from ..partition_data import PartitionData
from .metrics import METRICS

Key = tuple[str, str, int]
"""The graph of a node, its name, and the number of nodes before it with this name."""
_Record = TypeVar("_Record", NodeRecord, SubgraphRecord)


@dataclass(frozen=True, slots=True)
class NumberChange(Brief):
    """A number of both reports, see ``metrics``; None where it is not known."""

    name: str
    before: float | None
    after: float | None

    @property
    def is_change(self) -> bool:
        """True when the two differ."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class NodePlacement(Brief):
    """The place of a node and the reason for it: its type, the device, and on the CPU the code and the reason."""

    type: str
    device: str
    code: RejectCode | None
    reason: str


@dataclass(frozen=True, slots=True)
class NodeChange(Brief):
    """A node that runs elsewhere or for another reason, that is new (``before`` None), or gone (``after`` None).

    ``sources`` is what it was in the model file.
    """

    name: str
    graph: str
    before: NodePlacement | None
    after: NodePlacement | None
    sources: tuple[SourceRecord, ...] = ()

    @property
    def shown(self) -> str:
        """The name that it has in the model's file, else its own."""
        return short_name(self.sources) or self.name


@dataclass(frozen=True, slots=True)
class SubgraphChange(Brief):
    """A subgraph and the one that took its place: the one that shares most nodes with it.

    Attributes:
        before: its name in the first report, None for one that is new.
        after: its name in the second, None for one that is gone.
        kernels_before: number of its nodes; 0 where there is none. So for ``kernels_after``.
        gained: names of nodes that only the second has.
        lost: names of nodes that only the first has.
        boundary_bytes_before: per prediction; 0 where there is none. So for ``boundary_bytes_after``.
        estimated_us_before: microseconds, None where the delegate does not say. So for ``estimated_us_after``.
    """

    before: str | None
    after: str | None
    kernels_before: int
    kernels_after: int
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    boundary_bytes_before: int
    boundary_bytes_after: int
    estimated_us_before: float | None
    estimated_us_after: float | None


@dataclass(frozen=True, slots=True)
class ReportDiff(ReportData):
    """The difference between two reports.

    Attributes:
        before: the model file of the first report, "" when it was not read from one.
        after: the model file of the second report.
        delegate_before: name of the delegate in the first report.
        delegate_after: in the second.
        nodes_matched: how many nodes are in both reports; with 0 the reports are of different models.
        numbers: all numbers of ``METRICS``, changed or not.
        nodes: the changed nodes in the order of the second report, then the nodes that are gone.
        subgraphs: the changed subgraphs in the order of the second report, then the subgraphs that are gone.
        notes_added: notes that only the second report has.
        notes_removed: notes that only the first has.
    """

    tables: ClassVar[Mapping[str, FormTable]] = {
        "nodes": FormTable(("nodes",), ("name", "before.device", "after.device", "after.reason"), is_flat=True),
        "subgraphs": FormTable(("subgraphs",)),
        "numbers": FormTable(("numbers",)),
    }

    before: str
    after: str
    delegate_before: str
    delegate_after: str
    nodes_matched: int
    numbers: tuple[NumberChange, ...]
    nodes: tuple[NodeChange, ...]
    subgraphs: tuple[SubgraphChange, ...]
    notes_added: tuple[str, ...]
    notes_removed: tuple[str, ...]

    @property
    def is_same(self) -> bool:
        """True when nothing but the files' names differs."""
        changed = any(n.is_change for n in self.numbers) or self.delegate_before != self.delegate_after
        return not (changed or self.nodes or self.subgraphs or self.notes_added or self.notes_removed)

    def _line(self) -> str:
        found = f"{counted(len(self.nodes), 'changed node')}, {counted(len(self.subgraphs), 'changed subgraph')}"
        return f"{model_words(self.after)}{'nothing changed' if self.is_same else found}"

    def to_dict(self) -> dict[str, Any]:
        """The difference as plain data, ready for JSON. Keys are only ever added."""
        data: dict[str, Any] = to_plain(self)
        data["same"] = self.is_same
        return data


def diff(before: PartitionData, after: PartitionData) -> ReportDiff:
    """The difference between two reports. Nodes are matched by graph and name, subgraphs by the nodes they share.

    The names of subgraphs do not matter, since one that goes away renumbers the others; nor does the nodes' order.
    """
    old, new = _keyed(before.nodes), _keyed(after.nodes)
    return ReportDiff(
        before=before.model,
        after=after.model,
        delegate_before=before.delegate,
        delegate_after=after.delegate,
        nodes_matched=len(old.keys() & new.keys()),
        numbers=tuple(NumberChange(m.name, m.of(before), m.of(after)) for m in METRICS.values()),
        nodes=tuple(_node_changes(old, new)),
        subgraphs=tuple(_subgraph_changes(before.subgraphs, after.subgraphs)),
        notes_added=tuple(note for note in after.notes if note not in before.notes),
        notes_removed=tuple(note for note in before.notes if note not in after.notes),
    )


def _keyed(records: Iterable[_Record]) -> dict[Key, _Record]:
    counts: Counter[tuple[str, str]] = Counter()
    keyed: dict[Key, _Record] = {}
    for record in records:
        graph, name = record.graph, record.name
        keyed[graph, name, counts[graph, name]] = record
        counts[graph, name] += 1
    return keyed


def _node_changes(before: Mapping[Key, NodeRecord], after: Mapping[Key, NodeRecord]) -> Iterable[NodeChange]:
    for key in (*after, *(k for k in before if k not in after)):
        graph, name, _ = key
        sources = (after.get(key) or before[key]).sources
        change = NodeChange(name, graph, _placement(before.get(key)), _placement(after.get(key)), sources)
        if change.before != change.after:
            yield change


def _placement(node: NodeRecord | None) -> NodePlacement | None:
    return None if node is None else NodePlacement(node.type, node.device, node.code, node.reason)


def _subgraph_changes(before: Iterable[SubgraphRecord], after: Iterable[SubgraphRecord]) -> Iterable[SubgraphChange]:
    old, new = _keyed(before), _keyed(after)
    partner = _matched(old, new)
    pairs = [(partner.get(key), key) for key in new]
    matched = set(partner.values())
    for first, second in (*pairs, *((key, None) for key in old if key not in matched)):
        change = _change(None if first is None else old[first], None if second is None else new[second])
        if _differs(change):
            yield change


def _matched(old: Mapping[Key, SubgraphRecord], new: Mapping[Key, SubgraphRecord]) -> dict[Key, Key]:
    """For each subgraph of the second report the first report's subgraph with most shared nodes, each subgraph once."""
    holder = {(s.graph, kernel): key for key, s in old.items() for kernel in s.kernels}
    shared = Counter(
        (holder[s.graph, kernel], key) for key, s in new.items() for kernel in s.kernels if (s.graph, kernel) in holder
    )
    partner: dict[Key, Key] = {}
    used: set[Key] = set()
    for (first, second), _ in shared.most_common():
        if first not in used and second not in partner:
            partner[second] = first
            used.add(first)
    return partner


def _change(first: SubgraphRecord | None, second: SubgraphRecord | None) -> SubgraphChange:
    had, has = (() if s is None else s.kernels for s in (first, second))
    before, after = frozenset(had), frozenset(has)
    return SubgraphChange(
        before=None if first is None else first.name,
        after=None if second is None else second.name,
        kernels_before=len(had),
        kernels_after=len(has),
        gained=tuple(kernel for kernel in has if kernel not in before),
        lost=tuple(kernel for kernel in had if kernel not in after),
        boundary_bytes_before=0 if first is None else first.boundary_bytes,
        boundary_bytes_after=0 if second is None else second.boundary_bytes,
        estimated_us_before=None if first is None else first.estimated_us,
        estimated_us_after=None if second is None else second.estimated_us,
    )


def _differs(change: SubgraphChange) -> bool:
    return (
        None in (change.before, change.after)
        or bool(change.gained or change.lost)
        or change.boundary_bytes_before != change.boundary_bytes_after
        or change.estimated_us_before != change.estimated_us_after
    )
