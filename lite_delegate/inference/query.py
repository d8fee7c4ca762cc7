"""Query: where the nodes of a model's file would run, and why not elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import field

from ..data_class import dataclass
from ..delegate import Rejected
from ..runtime.records.labels import in_file_names
from ..runtime.records.records import CPU, NodeRecord, PartitionRecord, SubgraphRecord


@dataclass(frozen=True, slots=True, eq=False)
class Query(Mapping[str, str]):
    """The device of each node that one takes, by the node's name in the model's file.

    Attributes:
        where: the same, as a plain mapping.
        rejections: of each node that no delegate takes, why, by name.
        subgraphs: what delegates run in one piece.
        partition: the record that all of this is from.
    """

    where: Mapping[str, str]
    rejections: Mapping[str, Rejected]
    partition: PartitionRecord = field(repr=False)

    @property
    def subgraphs(self) -> tuple[SubgraphRecord, ...]:
        """The stretches that delegates run in one piece."""
        return self.partition.subgraphs

    @property
    def devices(self) -> dict[str, int]:
        """How many of the nodes each device takes."""
        return dict(Counter(self.where.values()))

    def __getitem__(self, name: str) -> str:
        return self.where[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.where)

    def __len__(self) -> int:
        return len(self.where)


def _only_names(nodes: Mapping[str, NodeRecord], partition: PartitionRecord) -> dict[str, str]:
    """The nodes that give an output of the model under one more name, with the node that makes it, "" for an input."""
    outputs = {tensor.name for tensor in partition.outputs}
    makers = {tensor.name: name for name, node in nodes.items() for tensor in node.outputs}
    return {
        name: makers.get(node.inputs[0].name, "")
        for name, node in nodes.items()
        if node.type == "Depend" and len(node.inputs) == 1 and node.outputs[0].name in outputs
    }


def query_of(partition: PartitionRecord, *, has_cpu: bool) -> Query:
    """What a plan says of the nodes of the file.

    Args:
        partition: of the plan.
        has_cpu: whether the CPU takes part; else what is left to it is no entry, and has a rejection only.
    """
    nodes = in_file_names(partition.nodes)
    names = {} if has_cpu else _only_names(nodes, partition)
    where = {name: node.device for name, node in nodes.items() if has_cpu or node.device != CPU}
    rejections = {
        name: Rejected(node.code, node.reason)
        for name, node in nodes.items()
        if node.code is not None and partition.delegate is not None and name not in names
    }
    where |= {name: where[maker] for name, maker in names.items() if maker in where}
    return Query(where, rejections, partition)
