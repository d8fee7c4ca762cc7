"""Sources: the nodes of a file that no node of the graph stands for, and the nodes that read others' results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..basics.data_class import dataclass
from ..ir import Graph, Source, Value, joined_sources


@dataclass(frozen=True, slots=True)
class FileNode:
    """A node of the file, with the values that it reads and gives."""

    reads: tuple[Value, ...]
    gives: tuple[Value, ...]


def readers_of(nodes: Mapping[Source, FileNode]) -> dict[Source, tuple[Source, ...]]:
    """The nodes that read each node's outputs, in the order of the file."""
    readers: dict[Value, dict[Source, None]] = {}
    for source, node in nodes.items():
        for value in node.reads:
            readers.setdefault(value, {})[source] = None
    found = {source: [readers.get(value, {}) for value in node.gives] for source, node in nodes.items()}
    return {source: joined_sources(group) for source, group in found.items() if any(group)}


def removed_sources(graph: Graph, nodes: Iterable[Source]) -> tuple[Source, ...]:
    """The nodes of the file that are in no node of the graph and its subgraphs, in the order of the file.

    Args:
        graph: as it was read.
        nodes: of the file.
    """
    kept = {source for each in graph.all_graphs() for node in each.nodes for source in node.sources}
    return joined_sources([set(nodes) - kept])
