"""QueriedNode: what would become of one node of a model's file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

from ...basics.data_class import dataclass
from ...delegate import Rejected
from ...runtime.records.labels import in_file_name
from ...runtime.records.records import CPU, NodeRecord, PartitionRecord, RemovedRecord, SourceRecord


class Support(StrEnum):
    """How much of a node of the file the devices that were asked take.

    1. WHOLE: one of them takes all that became of it.
    2. PARTLY: its parts run in several places.
    3. NOT: none takes any of it.
    4. REMOVED: nothing is left of it to run: it is constant, or gives what it is given.
    """

    WHOLE = "whole"
    PARTLY = "partly"
    NOT = "not"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class QueriedPart:
    """One of the nodes that a node of the file became.

    Attributes:
        name: its own, which may be none of the file.
        type: its operator type.
        device: that takes it, or the CPU.
        rejection: why no other device takes it; None where one does.
    """

    name: str
    type: str
    device: str
    rejection: Rejected | None


@dataclass(frozen=True, slots=True)
class QueriedNode:
    """One node of the file.

    Attributes:
        name: in the file; where several have that, with its type and position.
        type: in the file.
        support: how much of it the devices take.
        parts: what it became, in execution order; none where it was removed.
    """

    name: str
    type: str
    support: Support
    parts: tuple[QueriedPart, ...]

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices of its parts, each once."""
        return tuple(dict.fromkeys(part.device for part in self.parts))

    @property
    def rejection(self) -> Rejected | None:
        """Why not all of it is taken; of a node that is taken apart, which part is not. None: all of it is taken."""
        left = next((part for part in self.parts if part.rejection is not None), None)
        if left is None or left.rejection is None:
            return None
        if self.support is not Support.PARTLY:
            return left.rejection
        why = left.rejection
        return Rejected(why.code, f"its part '{left.name}' ({left.type}) is not taken: {why.reason}")


def queried_nodes(partition: PartitionRecord, placed: Mapping[str, str]) -> tuple[QueriedNode, ...]:
    """The nodes of the file in its order; nodes that come from no file behind them, by their own names.

    Args:
        partition: of the plan.
        placed: the device of each of its nodes, by the nodes' own names.
    """
    parts: dict[SourceRecord | str, list[NodeRecord]] = {}
    for node in partition.nodes:
        for source in node.sources or (node.name,):
            parts.setdefault(source, []).append(node)
    there = [*(source.full_name for source in _sources(parts)), *(each.full_name for each in partition.removed)]
    names = Counter(there)
    rows = [(_place(source), _row(source, names, nodes, placed, partition)) for source, nodes in parts.items()]
    rows += [(each.place, _removed(each, names)) for each in partition.removed]
    return tuple(row for _, row in sorted(rows, key=lambda each: (not each[0], each[0])))


def _sources(parts: Mapping[SourceRecord | str, object]) -> Iterator[SourceRecord]:
    return (source for source in parts if isinstance(source, SourceRecord))


def _place(source: SourceRecord | str) -> tuple[int, ...]:
    return () if isinstance(source, str) else source.place


def _row(
    source: SourceRecord | str,
    names: Mapping[str, int],
    nodes: Sequence[NodeRecord],
    placed: Mapping[str, str],
    partition: PartitionRecord,
) -> QueriedNode:
    parts = tuple(_part(node, placed[node.name], partition) for node in nodes)
    if isinstance(source, str):
        return QueriedNode(source, nodes[0].type, _support(parts), parts)
    return QueriedNode(in_file_name(source, names), source.type, _support(parts), parts)


def _part(node: NodeRecord, device: str, partition: PartitionRecord) -> QueriedPart:
    is_left = node.code is not None and device == CPU and partition.delegate is not None
    rejection = Rejected(node.code, node.reason) if is_left and node.code is not None else None
    return QueriedPart(node.name, node.type, device, rejection)


def _support(parts: Sequence[QueriedPart]) -> Support:
    devices = {part.device for part in parts}
    if devices == {CPU}:
        return Support.NOT
    return Support.WHOLE if len(devices) == 1 else Support.PARTLY


def _removed(node: RemovedRecord, names: Mapping[str, int]) -> QueriedNode:
    source = SourceRecord(node.name, node.type, node.path, node.place)
    return QueriedNode(in_file_name(source, names), node.type, Support.REMOVED, ())
