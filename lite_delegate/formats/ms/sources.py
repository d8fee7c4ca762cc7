"""Sources of ``.ms`` files: the names that nodes have in the file."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir import Graph, Node, Source
from ..sources import FileNode, readers_of, removed_sources


def remember_sources(graph: Graph, nodes: Sequence[Node]) -> None:
    """Notes the sources of a file's nodes, and the nodes that no subgraph lists.

    Args:
        graph: the main graph.
        nodes: of all subgraphs, in the order of the file.
    """
    paths = {node: () if each is graph else (each.name,) for each in graph.all_graphs() for node in each.nodes}
    for position, node in enumerate(nodes):
        node.sources = (Source(_name(node, position), node.op_type, paths.get(node, ()), (position,)),)
    graph.removed = removed_sources(graph, [source for node in nodes for source in node.sources])
    known = {node.sources[0]: FileNode(tuple(filter(None, node.inputs)), tuple(node.outputs)) for node in nodes}
    graph.readers = readers_of(known)


def _name(node: Node, position: int) -> str:
    names = (value.name for value in node.outputs if value.name)
    return node.name or next(names, "") or f"{node.op_type}-{position}"
