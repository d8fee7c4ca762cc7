"""Query: where the nodes of a model's file would run, and why not elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from ...basics.data_class import dataclass
from ...delegate import Rejected
from ...runtime.records.records import CPU, NodeRecord, PartitionRecord, SubgraphRecord
from .queried_node import QueriedNode, Support, queried_nodes


@dataclass(frozen=True, slots=True, eq=False)
class Query(Mapping[str, str]):
    """The device of each node of the model's file that one device takes whole, by the node's name in the file.

    Attributes:
        where: the devices by name, as a plain mapping.
        rejections: the reason for each node that no delegate takes whole, by name.
        nodes: one row for each node of the file, with its support and its parts.
        partition: the record of the plan that the query was made with.
    """

    where: Mapping[str, str]
    rejections: Mapping[str, Rejected]
    nodes: tuple[QueriedNode, ...] = field(repr=False)
    partition: PartitionRecord = field(repr=False)

    @property
    def subgraphs(self) -> tuple[SubgraphRecord, ...]:
        """The subgraphs that delegates run."""
        return self.partition.subgraphs

    @property
    def devices(self) -> dict[str, int]:
        """The number of nodes that each device takes whole."""
        return dict(Counter(self.where.values()))

    @property
    def partly(self) -> tuple[QueriedNode, ...]:
        """The nodes whose parts run on several devices; the mapping has no entries for them."""
        return tuple(node for node in self.nodes if node.support is Support.PARTLY)

    def __getitem__(self, name: str) -> str:
        return self.where[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.where)

    def __len__(self) -> int:
        return len(self.where)


def _only_names(nodes: Sequence[NodeRecord], partition: PartitionRecord) -> dict[str, str]:
    """The nodes that only rename an output of the model, with the node that makes the output ("" for an input)."""
    outputs = {tensor.name for tensor in partition.outputs}
    makers = {tensor.name: node.name for node in nodes for tensor in node.outputs}
    return {
        node.name: makers.get(node.inputs[0].name, "")
        for node in nodes
        if node.type == "Depend" and len(node.inputs) == 1 and node.outputs[0].name in outputs
    }


def query_of(partition: PartitionRecord, *, has_cpu: bool) -> Query:
    """The query that a plan answers.

    Args:
        partition: of the plan.
        has_cpu: whether the CPU takes part; otherwise the nodes of the CPU have only a rejection, and no entry.
    """
    names = {} if has_cpu else _only_names(partition.nodes, partition)
    placed = {node.name: node.device for node in partition.nodes}
    placed |= {name: placed[maker] for name, maker in names.items() if maker in placed}
    rows = queried_nodes(partition, placed)
    where = {row.name: row.devices[0] for row in rows if len(row.devices) == 1}
    if not has_cpu:
        where = {name: device for name, device in where.items() if device != CPU}
    rejections = {
        row.name: why
        for row in rows
        if (why := row.rejection) is not None and not all(part.name in names for part in row.parts)
    }
    return Query(where, rejections, rows, partition)
