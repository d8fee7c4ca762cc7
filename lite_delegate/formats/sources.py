"""The nodes of a file that are in no node of the graph."""

from __future__ import annotations

from collections.abc import Iterable

from ..ir import Graph, Source, joined_sources


def removed_sources(graph: Graph, nodes: Iterable[Source]) -> tuple[Source, ...]:
    """The nodes of the file that are in no node of the graph and its subgraphs, in the order of the file.

    Args:
        graph: as it was read.
        nodes: of the file.
    """
    kept = {source for each in graph.all_graphs() for node in each.nodes for source in node.sources}
    return joined_sources([set(nodes) - kept])
