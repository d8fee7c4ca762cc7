"""QueriedNode: the devices that one node of a model's file would run on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

from ...basics.data_class import dataclass
from ...delegate import Rejected
from ...runtime.records.labels import in_file_name
from ...runtime.records.records import CPU, NodeRecord, PartitionRecord, RemovedRecord, SourceRecord


class Support(StrEnum):
    """The extent to which devices support a node of the file.

    1. WHOLE: one device takes all parts of the node.
    2. PARTLY: the parts of the node run on several devices.
    3. NOT: no device takes any part of the node.
    4. REMOVED: the node has no parts: its output is constant or equal to its input.
    """

    WHOLE = "whole"
    PARTLY = "partly"
    NOT = "not"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class QueriedPart:
    """A node of the compiled graph that is part of a node of the file.

    Attributes:
        name: in the compiled graph; the file may have no such name.
        type: the operator type.
        device: the device that takes the part, or the CPU.
        rejection: why no device takes the part; None for a part that a device takes.
    """

    name: str
    type: str
    device: str
    rejection: Rejected | None


@dataclass(frozen=True, slots=True)
class QueriedNode:
    """One node of the file.

    Attributes:
        name: in the file, with type and position where several nodes have the name.
        type: in the file.
        support: the extent to which the devices take the node.
        parts: its nodes in the compiled graph, in execution order; empty for a removed node.
    """

    name: str
    type: str
    support: Support
    parts: tuple[QueriedPart, ...]

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices of the parts, each once."""
        return tuple(dict.fromkeys(part.device for part in self.parts))

    @property
    def rejection(self) -> Rejected | None:
        """Why a part of the node is not taken; None for a node that is taken whole. The text names the part."""
        left = next((part for part in self.parts if part.rejection is not None), None)
        if left is None or left.rejection is None:
            return None
        if self.support is not Support.PARTLY:
            return left.rejection
        why = left.rejection
        return Rejected(why.code, f"its part '{left.name}' ({left.type}) is not taken: {why.reason}")


def queried_nodes(partition: PartitionRecord, placed: Mapping[str, str]) -> tuple[QueriedNode, ...]:
    """The nodes of the file in its order, then the nodes without a source in the file, by their own names.

    Args:
        partition: of the plan.
        placed: the device of each node of the plan, by name.
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
